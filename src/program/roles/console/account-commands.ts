import { formatUsd, micros, parseUsd, toUsdNumber } from '../../../base/money.ts';
import type { Command, CommandAnswer, CommandCall } from './command.ts';
import { table } from './table.ts';
import { accountOf, valueAt } from './account-of.ts';

const MINUTE_MS = 60_000;

/**
 * Commands for accounts, their prepaid balances and their webhook secrets. Without `--account`, they use the first
 * account.
 */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    words: 'accounts list',
    values: [],
    options: [],
    what: 'lists all accounts with the amounts available, held and spent',
    run({ admin }) {
      const accounts = admin.listAccounts().map(({ id, name, toppedUp, spent, held }) => {
        return { id, name, available: micros(toppedUp - spent - held), held, spent, toppedUp };
      });
      const json = accounts.map(({ id, name, available, held, spent, toppedUp }) => ({
        id,
        name,
        available_usd: toUsdNumber(available),
        held_usd: toUsdNumber(held),
        spent_usd: toUsdNumber(spent),
        topped_up_usd: toUsdNumber(toppedUp),
      }));
      const rows = accounts.map(({ id, name, available, held, spent, toppedUp }) => [
        id,
        name,
        ...[available, held, spent, toppedUp].map(formatUsd),
      ]);
      const headings = ['ACCOUNT', 'NAME', 'AVAILABLE', 'HELD', 'SPENT', 'TOPPED UP'];
      return { text: table(headings, rows), json };
    },
  },
  {
    words: 'accounts create',
    values: ['<name>'],
    options: [],
    what: 'opens an account with a balance of zero',
    run(call) {
      const name = valueAt(call, 0);
      const { id = '', done } = call.runVerb({ verb: 'create_account', name });
      const text = `${done}\n\nIts id is ${id}: "top-up 10 --account ${id}", "keys create <name> --account ${id}".`;
      return { text, json: { id, name } };
    },
  },
  {
    words: 'balance',
    values: [],
    options: ['--account <id or name>'],
    what: 'shows the six numbers of GET /v1/balance',
    run: showBalance,
  },
  {
    words: 'top-up',
    values: ['<dollars>'],
    options: ['--account <id or name>'],
    what: 'adds prepaid balance',
    run(call) {
      const dollars = valueAt(call, 0);
      const { done } = call.runVerb({ verb: 'top_up', accountId: accountOf(call), dollars });
      const { text, json } = showBalance(call);
      return { text: `${done}\n\n${text}`, json };
    },
  },
  {
    words: 'secret show',
    values: [],
    options: ['--account <id or name>'],
    what: 'shows the secret that signs webhooks; the first call generates it',
    run(call) {
      const { secret = '' } = call.runVerb({ verb: 'show_secret', accountId: accountOf(call) });
      return { text: secret, json: { secret } };
    },
  },
  {
    words: 'secret rotate',
    values: [],
    options: ['--account <id or name>', '--overlap-minutes <number>'],
    what: 'generates a new signing secret; during the overlap, webhooks carry both signatures',
    run(call) {
      const { 'overlap-minutes': overlapMinutes = '0' } = call.options;
      const accountId = accountOf(call);
      const { secret = '', done } = call.runVerb({ verb: 'rotate_secret', accountId, overlapMinutes });
      const overlapMs = Number(overlapMinutes) * MINUTE_MS;
      return { text: `${secret}\n\n${done}`, json: { secret, overlapMs } };
    },
  },
  {
    words: 'password',
    values: [],
    options: [],
    what: 'generates a new password of the console page, shows it once, and logs everyone out',
    run({ runVerb }) {
      const { secret: password = '', done } = runVerb({ verb: 'new_password' });
      return { text: `${password}\n\n${done} It is shown only now.`, json: { password } };
    },
  },
];

function showBalance(call: CommandCall): CommandAnswer {
  const balance = call.admin.balance(accountOf(call));
  const rows = Object.entries(balance).map(([name, dollars]: [string, number]) => [
    name.replace(/_usd$/, '').replaceAll('_', ' '),
    formatUsd(parseUsd(dollars)),
  ]);
  return { text: table(['', 'USD'], rows).trimStart(), json: balance };
}
