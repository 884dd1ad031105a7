import { formatUsd, micros, parseUsd, toUsdNumber } from '../../base/money.ts';
import { type Command, type CommandAnswer, type CommandCall, ConsoleError } from './command.ts';
import { table } from './layout.ts';
import { readAccount, readDollars, readName, readWhole, valueAt } from './values.ts';

const MINUTE_MS = 60_000;
const OVERLAP_MINUTES_MAX = 7 * 24 * 60;

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
      const name = readName(valueAt(call, 0));
      const id = call.admin.createAccount(name);
      const text = `Account ${id} (${name}) is open. Next: "top-up 10 --account ${id}", "keys create <name> --account ${id}".`;
      return { text, json: { id, name } };
    },
  },
  {
    words: 'balance',
    values: [],
    options: ['--account <id or name>'],
    what: 'the six numbers of GET /v1/balance',
    run: (call) => showBalance(call),
  },
  {
    words: 'top-up',
    values: ['<dollars>'],
    options: ['--account <id or name>'],
    what: 'adds prepaid balance',
    run(call) {
      const amount = readDollars(valueAt(call, 0), 'the amount');
      if (amount === 0) throw new ConsoleError('Cannot top up nothing: name an amount above 0');
      call.admin.topUp(amount, readAccount(call));
      return showBalance(call);
    },
  },
  {
    words: 'secret show',
    values: [],
    options: ['--account <id or name>'],
    what: 'the webhook signing secret, made when first asked for',
    run(call) {
      const secret = call.admin.signingSecret(readAccount(call));
      return { text: secret, json: { secret } };
    },
  },
  {
    words: 'secret rotate',
    values: [],
    options: ['--account <id or name>', '--overlap-minutes <number>'],
    what: 'makes a new signing secret; in the overlap webhooks carry both signatures',
    run(call) {
      const overlapMs = readOverlapMs(call.options['overlap-minutes']);
      const secret = call.admin.rotateSigningSecret({ accountId: readAccount(call), overlapMs });
      const old = overlapMs === 0 ? 'signs no more' : `signs along for ${overlapMs / MINUTE_MS} minutes`;
      return { text: `${secret}\n\nThe old secret ${old}.`, json: { secret, overlapMs } };
    },
  },
  {
    words: 'password',
    values: [],
    options: [],
    what: 'makes a new password of the console page and shows it, this one time; whoever was logged in is out',
    run({ admin }) {
      const password = admin.newConsolePassword();
      return {
        text: `${password}\n\nThis is the password of the console page from now on. It is shown only now.`,
        json: { password },
      };
    },
  },
];

function showBalance(call: CommandCall): CommandAnswer {
  const balance = call.admin.balance(readAccount(call));
  const rows = Object.entries(balance).map(([name, dollars]: [string, number]) => [
    name.replace(/_usd$/, '').replaceAll('_', ' '),
    formatUsd(parseUsd(dollars)),
  ]);
  return { text: table(['', 'USD'], rows).trimStart(), json: balance };
}

function readOverlapMs(text: string | undefined): number {
  if (text === undefined || text === '0') return 0;
  const minutes = readWhole(text, '--overlap-minutes');
  if (minutes <= OVERLAP_MINUTES_MAX) return minutes * MINUTE_MS;
  throw new ConsoleError(
    `Cannot read --overlap-minutes: "${text}" is more than ${OVERLAP_MINUTES_MAX} (a week)`,
  );
}
