import { type MicroUsd, parseUsd } from '../../base/money.ts';
import type { MediaAdmin } from '../../media-server/admin.ts';
import { type CommandCall, ConsoleError } from './command.ts';

const WHOLE_MAX = 1_000_000;
const DOLLARS = /^\d{1,7}(\.\d{1,6})?$/;

/** The value at `index`; the console has checked that it is there. */
export function valueAt({ values }: CommandCall, index: number): string {
  return values[index] ?? '';
}

/** Dollars with at most six decimals, so that nothing is rounded away. */
export function readDollars(text: string, name: string): MicroUsd {
  if (DOLLARS.test(text)) return parseUsd(text);
  throw new ConsoleError(
    `Cannot read ${name}: "${text}" is not an amount; write dollars such as 5, 0.04 or 0.000125`,
  );
}

/** A whole number from 1 to 1,000,000. */
export function readWhole(text: string, name: string): number {
  if (/^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= WHOLE_MAX) return Number(text);
  throw new ConsoleError(`Cannot read ${name}: "${text}" is not a whole number from 1 to ${WHOLE_MAX}`);
}

/** The one of `known` with this name, or a refusal that lists them. */
export function readOneOf<const T extends string>(text: string, known: readonly T[], name: string): T {
  const found = known.find((value) => value === text);
  if (found !== undefined) return found;
  throw new ConsoleError(`Cannot find the ${name} "${text}": there are ${known.join(', ')}`);
}

/** The account named by `--account`, by id or by a name that only one has; undefined when none is named. */
export function readAccount({ admin, options }: CommandCall): string | undefined {
  const wanted = options['account'];
  return wanted === undefined ? undefined : findAccount(admin, wanted);
}

function findAccount(admin: MediaAdmin, wanted: string): string {
  const accounts = admin.listAccounts();
  const byId = accounts.find(({ id }) => id === wanted);
  if (byId) return byId.id;
  const [byName, ...others] = accounts.filter(({ name }) => name === wanted);
  if (byName && others.length === 0) return byName.id;
  const state = byName
    ? `${others.length + 1} accounts have this name; use an id`
    : 'there is no such account';
  throw new ConsoleError(`Cannot find the account "${wanted}": ${state}; see "accounts list"`);
}

/** A name for people: one line of 1 to 100 characters. */
export function readName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== '') return text;
  throw new ConsoleError('Cannot use this name: it needs 1 to 100 characters on one line');
}
