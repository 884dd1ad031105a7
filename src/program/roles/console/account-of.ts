import type { MediaAdmin } from '../../../media-server/admin.ts';
import { type CommandCall, ConsoleError } from './command.ts';

/** The value at `index`; the console has checked that it is there. */
export function valueAt({ values }: Pick<CommandCall, 'values'>, index: number): string {
  return values[index]?.trim() ?? '';
}

/** The account named by `--account`, by id or by a name that only one has; undefined when none is named. */
export function namedAccount({ admin, options }: CommandCall): string | undefined {
  const wanted = options['account'];
  return wanted === undefined ? undefined : findAccount(admin, wanted);
}

/** The same; the first account when none is named. */
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
