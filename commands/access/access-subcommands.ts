import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import { accessText } from './access-text.ts';
import type { Access } from '../../src/bot/people/access/access.ts';

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;
type Target = Parameters<Access['clear']>[1];

/** The subcommands of `/access`, by name. All except `show` change the rules, and then reply with the new rules. */
export const ACCESS_SUBCOMMANDS: Readonly<Record<string, Run>> = {
  show: (call, services) => shown('Rules of this server', call, services),
  allow: (call, services) => setEach(call, services, 'allow'),
  deny: (call, services) => setEach(call, services, 'deny'),
  clear: async (call, services) => {
    const targets = targetsOf(call);
    if (targets.length === 0) return nothingNamed('a role, a channel or a command');
    for (const target of targets) await services.access.clear(call.origin, target);
    return shown('Rule taken back', call, services);
  },
  limits: async (call, services) => {
    const cooldownSeconds = call.numbers.get('cooldown');
    const atOnce = call.numbers.get('at-once');
    const ageRestrictedOnly = call.flags.get('age-restricted');
    const change = {
      ...(cooldownSeconds === undefined ? {} : { cooldownSeconds }),
      ...(atOnce === undefined ? {} : { concurrentMax: atOnce === 0 ? null : atOnce }),
      ...(ageRestrictedOnly === undefined ? {} : { ageRestrictedOnly }),
    };
    if (Object.keys(change).length === 0) return nothingNamed('at least one limit to change');
    await services.access.limit(call.origin, change);
    return shown('Limits set', call, services);
  },
  block: async (call, services) => {
    await services.access.set(call.origin, { ...blocked(call), effect: 'deny' });
    return shown('Member blocked', call, services);
  },
  unblock: async (call, services) => {
    const was = await services.access.clear(call.origin, blocked(call));
    return shown(was ? 'Member unblocked' : 'This member was not blocked', call, services);
  },
  reports: async (call, services) => {
    const channel = call.texts.get('channel') ?? null;
    await services.access.reportTo(call.origin, channel);
    return shown(channel === null ? 'Reports go to no channel' : 'Channel for reports set', call, services);
  },
};

async function setEach(
  call: CommandCall,
  services: CommandServices,
  effect: 'allow' | 'deny',
): Promise<CommandResult> {
  const targets = targetsOf(call);
  if (targets.length === 0) return nothingNamed('a role, a channel or a command');
  for (const target of targets) await services.access.set(call.origin, { ...target, effect });
  return shown(effect === 'allow' ? 'Rule set: allowed' : 'Rule set: shut out', call, services);
}

function targetsOf({ texts }: CommandCall): readonly Target[] {
  return (['role', 'channel', 'capability'] as const).flatMap((kind) => {
    const target = texts.get(kind);
    return target === undefined ? [] : [{ kind, target }];
  });
}

function blocked({ texts }: CommandCall): Target {
  return { kind: 'member', target: texts.get('member') ?? '' };
}

function nothingNamed(what: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(`Nothing was changed. Choose ${what}.`) };
}

async function shown(title: string, call: CommandCall, { access }: CommandServices): Promise<CommandResult> {
  return doneReply(title, accessText(await access.view(call.origin)));
}
