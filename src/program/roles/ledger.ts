import { openDatabase } from '../../../db/database.ts';
import { SettingsError } from '../../bot/settings/settings-error.ts';
import { type Difference, verifyLedger } from '../../bot/money/ledger/verify-ledger.ts';
import type { Role } from './role.ts';

const USAGE = 'ledger takes one action, and --json for machines: ledger verify [--json]';

/**
 * `ledger verify`: recomputes the books from their entries, prints every difference, and ends with exit code 1 if there
 * are any. The role changes nothing, and the bot can run at the same time.
 */
export const ledger: Role = async ({ settings, log, args, print }) => {
  const isForMachines = args.includes('--json');
  const [action, ...others] = args.filter((arg) => arg !== '--json');
  if (action !== 'verify' || others.length > 0) throw new SettingsError([USAGE]);
  await using database = await openDatabase({ url: settings.storage.databaseUrl, logger: log });
  const report = (difference: Difference): void =>
    print(`${isForMachines ? JSON.stringify({ difference }) : lineOf(difference)}\n`);
  const verified = await verifyLedger(database.kysely, report);
  const { holds, entries, guilds, meters, differences } = verified;
  print(
    isForMachines
      ? `${JSON.stringify({ verified })}\n`
      : `${entries} entries of ${holds} holds in ${guilds} servers, ${meters} meters: ${differences} differences\n`,
  );
  if (differences > 0) process.exitCode = 1;
  return null;
};

function lineOf({ place, figure, stored, computed }: Difference): string {
  return `${place}: ${figure} is stored as ${stored}, but comes to ${computed}`;
}
