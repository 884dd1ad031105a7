import type { MediaAdmin } from '../../../media-server/media-admin.ts';
import { type CommandCall, ConsoleError } from './command.ts';

/** Returns the value at `index`. The console has checked that the value exists. */
export function valueAt({ values }: Pick<CommandCall, 'values'>, index: number): string {
  return values[index]?.trim() ?? '';
}

/**
 * Returns the id of the account that `--account` names by its id or its unique name, or `undefined` if the option is
 * missing.
 */
export function namedAccount({ admin, options }: CommandCall): string | undefined {
  const wanted = options['account'];
  return wanted === undefined ? undefined : findAccount(admin, wanted);
}

/**
 * Returns the id of the account that `--account` names. If the option is missing, returns that of the first account.
 */
export function accountOf(call: CommandCall): string {
  return namedAccount(call) ?? call.admin.accountId;
}

function findAccount(admin: MediaAdmin, wanted: string): string {
  const byId = admin.findAccount(wanted);
  if (byId) return byId.id;
  const [byName, ...others] = admin.listAccounts().filter(({ name }) => name === wanted);
  if (byName && others.length === 0) return byName.id;
  const state = byName
    ? `${others.length + 1} accounts have this name; use an id`
    : 'there is no such account';
  throw new ConsoleError(`Cannot find the account "${wanted}": ${state}; see "accounts list"`);
}
