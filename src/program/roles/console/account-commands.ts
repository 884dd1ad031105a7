import { formatUsd, micros, parseUsd, toUsdNumber } from '../../../base/money.ts';
import type { Command, CommandAnswer, CommandCall } from './command.ts';
import { table } from './table.ts';
import { accountOf, valueAt } from './account-of.ts';

const MINUTE_MS = 60_000;

/** Accounts with their prepaid balance and webhook secret. Without `--account` the first one is meant. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    words: 'accounts list',
    values: [],
    options: [],
    what: 'all accounts with what they have, hold and spent',
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
    what: 'opens an account with nothing in it',
    run(call) {
      const name = valueAt(call, 0);
      const { id = '', done } = call.tell({ verb: 'create_account', name });
      const text = `${done}\n\nIts id is ${id}: "top-up 10 --account ${id}", "keys create <name> --account ${id}".`;
      return { text, json: { id, name } };
    },
  },
  {
    words: 'balance',
    values: [],
    options: ['--account <id or name>'],
    what: 'the six numbers of GET /v1/balance',
    run: showBalance,
  },
  {
    words: 'top-up',
    values: ['<dollars>'],
    options: ['--account <id or name>'],
    what: 'adds prepaid balance',
    run(call) {
      const dollars = valueAt(call, 0);
      const { done } = call.tell({ verb: 'top_up', accountId: accountOf(call), dollars });
      const { text, json } = showBalance(call);
      return { text: `${done}\n\n${text}`, json };
    },
  },
  {
    words: 'secret show',
    values: [],
    options: ['--account <id or name>'],
    what: 'the webhook signing secret, made when first asked for',
    run(call) {
      const { secret = '' } = call.tell({ verb: 'show_secret', accountId: accountOf(call) });
      return { text: secret, json: { secret } };
    },
  },
  {
    words: 'secret rotate',
    values: [],
    options: ['--account <id or name>', '--overlap-minutes <number>'],
    what: 'makes a new signing secret; in the overlap webhooks carry both signatures',
    run(call) {
      const { 'overlap-minutes': overlapMinutes = '0' } = call.options;
      const accountId = accountOf(call);
      const { secret = '', done } = call.tell({ verb: 'rotate_secret', accountId, overlapMinutes });
      const overlapMs = Number(overlapMinutes) * MINUTE_MS;
      return { text: `${secret}\n\n${done}`, json: { secret, overlapMs } };
    },
  },
  {
    words: 'password',
    values: [],
    options: [],
    what: 'makes a new password of the console page and shows it, this one time; whoever was logged in is out',
    run({ tell }) {
      const { secret: password = '', done } = tell({ verb: 'new_password' });
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
