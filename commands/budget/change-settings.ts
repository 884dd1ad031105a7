import { readDollars } from '../../src/base/read-dollars.ts';
import { clockTime, findTimeZones } from '../../src/base/time-zone.ts';
import type {
  Choice,
  CommandCall,
  CommandResult,
  CommandServices,
  CompletionCall,
} from '../../src/bot/discord/command.ts';
import { amountProblemText } from '../../src/bot/discord/words/notices/amount-problem-text.ts';
import { budgetSettingsText } from '../../src/bot/discord/words/replies/budget-settings-text.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import { readGone } from './suggest-gone.ts';
import type { BudgetSettingsChange } from '../../src/bot/money/budgets/guild-budget-settings.ts';

const SUGGESTED_MAX = 25;

/** The choices of the `reset` option in `/budget settings`. Each resets one setting to its default. */
export const RESETS = {
  time_zone: 'Time zone',
  confirm_above: 'Asking before expensive jobs',
  alerts: 'Channel for alerts',
  voice_renewal: 'Voice sessions that go on by themselves',
} as const;

/** `/budget settings` changes the given settings and shows all settings after the change. */
export async function changeSettings(
  call: CommandCall,
  { budgets }: CommandServices,
): Promise<CommandResult> {
  const { origin, texts, flags } = call;
  const confirmText = texts.get('confirm_above');
  const confirm = confirmText === undefined ? undefined : readDollars(confirmText);
  if (confirm && 'problem' in confirm) {
    return { kind: 'reply', reply: sentenceReply(amountProblemText('confirm_above', confirm.problem)) };
  }
  const timeZone = texts.get('time_zone');
  const alertsChannelId = texts.get('alerts');
  const voiceRenewal = flags.get('voice_renewal');
  const change: BudgetSettingsChange = {
    ...resetOf(texts.get('reset')),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(confirm === undefined ? {} : { confirmAbove: confirm.amount }),
    ...(alertsChannelId === undefined ? {} : { alertsChannelId }),
    ...(voiceRenewal === undefined ? {} : { voiceRenewal }),
  };
  const isLook = Object.keys(change).length === 0;
  const settings = isLook ? (await budgets.show(origin)).settings : await budgets.change(origin, change);
  return doneReply(
    isLook ? 'Settings of budgets' : 'Settings changed',
    budgetSettingsText(settings, origin.receivedAtMs),
  );
}

/** `/budget managers` sets which roles may manage budgets, in addition to members who may manage the server. */
export async function changeManagers(
  { subcommand, texts, origin }: CommandCall,
  { budgets }: CommandServices,
): Promise<CommandResult> {
  const gone = readGone(texts.get('gone') ?? '');
  const roleId = texts.get('role') ?? (gone?.kind === 'role' ? gone.roleId : undefined);
  if (roleId === undefined) {
    return {
      kind: 'reply',
      reply: sentenceReply('Nothing was changed. Choose a role, or one from the list.'),
    };
  }
  const isAdded = subcommand === 'managers add';
  const settings = await (isAdded
    ? budgets.addManager(origin, roleId)
    : budgets.removeManager(origin, roleId));
  return doneReply(
    isAdded ? 'Role may manage budgets' : 'Role does not manage budgets',
    budgetSettingsText(settings, origin.receivedAtMs),
  );
}

/** Suggests time zones, each with its current time. */
export function suggestTimeZones({ typed, origin }: CompletionCall): readonly Choice[] {
  return findTimeZones(typed, SUGGESTED_MAX).map((name) => ({
    name: `${name}, now ${clockTime(name, origin.receivedAtMs)}`,
    value: name,
  }));
}

function resetOf(name: string | undefined): BudgetSettingsChange {
  if (name === 'time_zone') return { timeZone: null };
  if (name === 'confirm_above') return { confirmAbove: null };
  if (name === 'voice_renewal') return { voiceRenewal: null };
  return name === 'alerts' ? { alertsChannelId: null } : {};
}
