import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord.js';
import type { Choice, CommandServices, CompletionCall } from '../../src/bot/discord/command.ts';
import { goneName } from '../../src/bot/discord/words/notices/cap-name.ts';
import type { AdminTarget } from '../../src/bot/money/budgets/admin-cap-key.ts';

type Gone = Exclude<AdminTarget, { kind: 'guild' }>;

/** The option for a deleted role or a member who left. Discord's own options no longer offer these. */
export const GONE: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.String,
  name: 'gone',
  description: 'A role or member that is gone: pick it from the list',
  max_length: 60,
  autocomplete: true,
};

/**
 * Suggests the roles and members that have a budget, or the roles that manage budgets. They are labelled with their
 * ids, because their names may be gone.
 */
export async function suggestGone(
  { origin, subcommand, typed }: CompletionCall,
  { budgets }: CommandServices,
): Promise<readonly Choice[]> {
  const { others, settings } = await budgets.show(origin);
  const managers = settings.managerRoleIds.map((roleId) => ({ kind: 'role', roleId }) as const);
  const targets = subcommand === 'clear' ? others.map(({ cap }) => cap.target) : managers;
  const found = new Map<string, string>();
  for (const target of targets) {
    if (target.kind === 'role') found.set(`role:${target.roleId}`, `Role ${target.roleId}`);
    if (target.kind === 'member') found.set(`member:${target.userId}`, nameOf(target.userId));
  }
  return [...found]
    .map(([value, name]) => ({ name, value }))
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
}

/**
 * Returns a label for a member in a suggestion. Members who deleted their data are suggested by pseudonym, because
 * limits that admins set for them still count.
 */
function nameOf(userId: string): string {
  return /^\d+$/.test(userId) ? `Member ${userId}` : goneName(userId);
}

/** Parses a choice that `suggestGone` offered. Returns undefined for any other text. */
export function readGone(text: string): Gone | undefined {
  const [, kind, id = ''] = /^(role|member):(\d{1,20}|gone_\w{1,40})$/.exec(text) ?? [];
  if (kind === 'role') return { kind, roleId: id };
  return kind === 'member' ? { kind, userId: id } : undefined;
}
