import {
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { describe, expect, test } from 'vitest';
import { photoSwap } from '../../../commands/photo-swap.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import {
  type Command,
  type CommandResult,
  type Component,
  IN_SERVERS_ONLY,
} from '../../../src/bot/discord/command.ts';
import { customId } from '../../../src/bot/discord/words/replies/custom-id.ts';
import { registerCommands } from '../../../src/bot/discord/wire/register-commands.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { until, useOwnClient } from '../../bot/discord/use-bot.ts';
import { type Stage, sentence, useHandlers } from '../../bot/discord/use-handlers.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { type Call, FAULTS, type FaultName, faultOf } from './use-troubled-chat.ts';

const NAMES = Object.keys(FAULTS) as FaultName[];
const ORIGINAL = '/webhooks/:applicationId/:token/messages/:messageId';

const CALLBACK: Call = { method: 'POST', route: '/interactions/:interactionId/:token/callback' };
const EDIT: Call = { method: 'PATCH', route: ORIGINAL };
const DELETE: Call = { method: 'DELETE', route: ORIGINAL };
const FOLLOW_UP: Call = { method: 'POST', route: '/webhooks/:applicationId/:token' };

interface Panel extends Stage {
  /** Resolves when all started interactions have been answered. */
  readonly idle: () => Promise<void>;
}

/** Creates `/panel`, which shows one button; pressing it leads to `result`. */
async function usePanel(answer: Component['answer'], result: CommandResult): Promise<Panel> {
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Primary,
    label: 'Go',
    custom_id: customId('go'),
  };
  const row = { type: ComponentType.ActionRow, components: [button] } as const;
  const panel: Command = {
    data: { name: 'panel', description: 'Shows a panel', ...IN_SERVERS_ONLY },
    execute: () => Promise.resolve({ kind: 'reply', reply: sentence('Panel', row as never) }),
  };
  const go: Component = { action: 'go', answer, execute: () => Promise.resolve(result) };
  const handlers = { commands: [panel], components: [go] };
  const stage = await useHandlers(handlers);
  return { ...stage, idle: () => stage.restart(handlers) };
}

/** Presses the button once for each fault of one call. Returns, for each fault, the final result of `seen`. */
async function press(
  stage: Panel,
  call: Call,
  seen: (use: UseOfBot) => string | undefined,
): Promise<Record<string, string>> {
  const panel = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();
  await stage.idle();
  const table: Record<string, string> = {};
  for (const name of NAMES) {
    stage.sandbox.faults.failNext(faultOf(name, call));
    const before = stage.calls().length;
    const logged = stage.logged.length;
    const use = await stage.ada.presses('Go', { on: panel });
    await until(() => stage.calls().length > before);
    await stage.idle();
    const fresh = stage.logged.slice(logged).filter((line) => line.startsWith('Cannot answer a command'));
    table[name] = seen(use) ?? (fresh.length === 1 ? 'not told, but logged' : 'lost');
    stage.sandbox.faults.clear();
  }
  stage.sandbox.takeViolations();
  return table;
}

const FAILS_WHEN_MEANT = {
  '500 before': 'not told, but logged',
  10003: 'not told, but logged',
  10008: 'not told, but logged',
  50001: 'not told, but logged',
  50013: 'not told, but logged',
  50027: 'not told, but logged',
  200000: 'not told, but logged',
};

describe('the result of a button when Discord fails', () => {
  test('is sent privately at least once, or the log says why not', { timeout: 60_000 }, async () => {
    const stage = await usePanel('update', { kind: 'whisper', reply: sentence('Psst') });

    const table = await press(stage, FOLLOW_UP, ({ followUps }) =>
      followUps.length > 0 ? `told ${followUps.length} times` : undefined,
    );

    // Follow-ups have no nonce: if the REST client repeats one because its answer was lost, the member sees a second
    // private notice.
    expect(table).toEqual({ ...FAILS_WHEN_MEANT, '500 after': 'told 2 times', 429: 'told 1 times' });
  });

  test('replaces the reply once, or the log says why not', { timeout: 60_000 }, async () => {
    const stage = await usePanel('private', { kind: 'reply', reply: sentence('Here') });

    const table = await press(stage, EDIT, ({ reply }) => reply?.text.trim());

    expect(table).toEqual({ ...FAILS_WHEN_MEANT, '500 after': 'Here', 429: 'Here' });
  });

  test('is deleted, or was already gone', { timeout: 60_000 }, async () => {
    const stage = await usePanel('private', { kind: 'nothing' });
    const before = stage.logged.length;

    const table = await press(stage, DELETE, ({ interaction: { original } }) =>
      original?.deletedAtMs === null ? 'stays' : 'gone',
    );

    expect(table).toEqual({
      ...Object.fromEntries(Object.keys(FAILS_WHEN_MEANT).map((name) => [name, 'stays'])),
      '500 after': 'gone',
      429: 'gone',
    });
    // The answer 10008 means that the message is already gone, which is not logged.
    expect(stage.logged).toHaveLength(before + Object.keys(FAILS_WHEN_MEANT).length - 1);
  });

  test('is a form once, or a private apology, or the log says why not', { timeout: 60_000 }, async () => {
    const form: APIModalInteractionResponseCallbackData = {
      custom_id: customId('form'),
      title: 'Form',
      components: [
        {
          type: ComponentType.Label,
          label: 'Text',
          component: { type: ComponentType.TextInput, custom_id: 'text', style: TextInputStyle.Short },
        },
      ],
    };
    const stage = await usePanel('form', { kind: 'form', form });
    const table = await press(stage, CALLBACK, ({ form: shown, reply }) =>
      shown ? 'form' : reply ? 'apology' : undefined,
    );

    expect(table).toEqual({ ...FAILS_WHEN_MEANT, '500 before': 'apology', '500 after': 'form', 429: 'form' });
  });
});

describe.each<[string, string, Call['route']]>([
  ['reading', 'GET', '/applications/:applicationId/commands'],
  ['creating', 'POST', '/applications/:applicationId/commands'],
  ['changing', 'PATCH', '/applications/:applicationId/commands/:commandId'],
])('when %s commands fails', (_what, method, route) => {
  test('the next attempt corrects everything, without duplicates', { timeout: 60_000 }, async () => {
    const table: Record<string, string> = {};
    for (const name of NAMES.filter((known) => known !== '50027')) {
      const sandbox = await useSandbox();
      const { client } = await useOwnClient(sandbox);
      const { applicationId } = sandbox;
      const register = async (description: string): Promise<string> => {
        const commands = [{ ...photoSwap.data, description }];
        try {
          const [done] = await registerCommands({
            rest: client.rest,
            applicationId,
            commands,
            clock: systemClock,
          });
          return done?.change ?? 'nothing';
        } catch (error) {
          return error instanceof ServiceError ? String(error.code) : 'unforeseen';
        }
      };
      if (method === 'PATCH') await register('Old');
      sandbox.faults.failNext(faultOf(name, { method, ...(route === undefined ? {} : { route }) }));
      const first = await register('New');
      sandbox.faults.clear();
      await register('New');
      const there = await client.application.commands.fetch();
      const descriptions = there.map(({ description }) => description).join();
      table[name] = `${first}, then ${descriptions}`;
      sandbox.takeViolations();
    }

    const works = method === 'PATCH' ? 'updated' : 'created';
    expect(table).toEqual({
      '500 before': 'unreachable, then New',
      '500 after': `${works}, then New`,
      429: `${works}, then New`,
      10003: 'refused, then New',
      10008: 'refused, then New',
      50001: 'refused, then New',
      50013: 'refused, then New',
      200000: 'refused, then New',
    });
  });
});
