import { formatUsd, toUsdNumber } from '../../base/money.ts';
import type { MediaAdmin, RateInForce } from '../../media-server/admin.ts';
import { type Command, type CommandAnswer, type CommandCall, ConsoleError } from './command.ts';
import { table } from './layout.ts';
import { readAccount, readDollars, readOneOf, readWhole, valueAt } from './values.ts';

type Feature = RateInForce['feature'];

const AMOUNTS = ['rate', 'minimum', 'hold'] as const;

/** What is offered and for how much: rates, capability switches and ceilings; and the end of a job. */
export const OFFER_COMMANDS: readonly Command[] = [
  {
    words: 'rates show',
    values: [],
    options: ['--account <id or name>'],
    what: 'the public rates, or those that bind an account',
    run: (call) => showRates(call.admin.listRates(readAccount(call))),
  },
  {
    words: 'rates set',
    values: ['<capability>'],
    options: ['--rate <dollars>', '--minimum <dollars>', '--hold <dollars>', '--account <id or name>'],
    what: 'changes the public rate, or negotiates one for an account; jobs under way keep theirs',
    run(call) {
      const feature = readCapability(call);
      const given = AMOUNTS.filter((name) => call.options[name] !== undefined);
      if (given.length === 0) throw new ConsoleError('Cannot set nothing: give --rate, --minimum or --hold');
      const changes = Object.fromEntries(
        given.map((name) => [name, readDollars(call.options[name] ?? '', `--${name}`)]),
      );
      const { isOfSession } = call.admin.listRates().find((rate) => rate.feature === feature) ?? {};
      if (isOfSession === true && given.some((name) => name !== 'rate')) {
        throw new ConsoleError(
          `Cannot set this for ${feature}: a session has only a rate, per minute, and reserves by its length`,
        );
      }
      const accountId = readAccount(call);
      call.admin.changeRate(feature, changes, accountId);
      return showRates(call.admin.listRates(accountId).filter((rate) => rate.feature === feature));
    },
  },
  {
    words: 'rates reset',
    values: ['<capability>'],
    options: ['--account <id or name>'],
    what: "takes an account's negotiated rate away; the public one binds it again",
    run(call) {
      const feature = readCapability(call);
      const accountId = readAccount(call);
      if (accountId === undefined) {
        throw new ConsoleError('Cannot reset the public rate: name an account with --account');
      }
      if (!call.admin.resetRate(feature, accountId)) {
        throw new ConsoleError(`Cannot reset ${feature}: this account has no rate of its own for it`);
      }
      return showRates(call.admin.listRates(accountId).filter((rate) => rate.feature === feature));
    },
  },
  {
    words: 'capabilities list',
    values: [],
    options: [],
    what: 'every capability, and whether it is switched on',
    run: ({ admin }) => showCapabilities(admin),
  },
  ...([true, false] as const).map((enabled): Command => {
    const word = enabled ? 'on' : 'off';
    return {
      words: `capabilities ${word}`,
      values: ['<capability>'],
      options: [],
      what: enabled ? 'offers a capability' : 'refuses new work for a capability; what is under way goes on',
      run(call) {
        const feature = readCapability(call);
        call.admin.switchCapability(feature, enabled);
        return { text: `${feature} is ${word}.`, json: { feature, enabled } };
      },
    };
  }),
  {
    words: 'ceilings list',
    values: [],
    options: [],
    what: 'how much may be under way at once, over all accounts',
    run({ admin }) {
      const ceilings = admin.listCeilings();
      const rows = ceilings.map(({ name, what, value }) => [name, String(value ?? 'default'), what]);
      return { text: table(['CEILING', 'VALUE', 'WHAT'], rows), json: ceilings };
    },
  },
  {
    words: 'ceilings set',
    values: ['<ceiling>', '<number>'],
    options: [],
    what: 'changes a ceiling; above it callers get 429 at_capacity',
    run(call) {
      const known = call.admin.listCeilings().map(({ name }) => name);
      const name = readOneOf(valueAt(call, 0), known, 'ceiling');
      const value = readWhole(valueAt(call, 1), 'the number');
      call.admin.setCeiling(value, name);
      return { text: `${name} is ${value}.`, json: { name, value } };
    },
  },
  {
    words: 'jobs cancel',
    values: ['<job id>'],
    options: [],
    what: 'ends a job as failed and returns its whole hold',
    run(call) {
      const id = valueAt(call, 0);
      const job = call.admin.findJob(id);
      if (!job) throw new ConsoleError(`Cannot cancel the job "${id}": there is no such job`);
      if (!call.admin.cancelJob(id)) {
        const { status } = call.admin.findJob(id) ?? job;
        throw new ConsoleError(`Cannot cancel the job "${id}": it has ${status} already`);
      }
      return {
        text: `Job ${id} is cancelled; ${formatUsd(job.hold)} went back.`,
        json: { id, cancelled: true },
      };
    },
  },
];

function readCapability(call: CommandCall): Feature {
  const known = call.admin.listCapabilities().map(({ feature }) => feature);
  return readOneOf(valueAt(call, 0), known, 'capability');
}

function showCapabilities(admin: MediaAdmin): CommandAnswer {
  const capabilities = admin.listCapabilities();
  const rows = capabilities.map(({ feature, enabled }) => [feature, enabled ? 'on' : 'off']);
  return { text: table(['CAPABILITY', 'STATE'], rows), json: capabilities };
}

function showRates(rates: readonly RateInForce[]): CommandAnswer {
  const rows = rates.map(({ feature, rate, minimum, hold, isNegotiated, isOfSession }) => [
    feature,
    formatUsd(rate),
    ...[minimum, hold].map((amount) => (isOfSession ? '-' : formatUsd(amount))),
    isNegotiated ? 'negotiated' : 'public',
  ]);
  const json = rates.map(({ feature, rate, minimum, hold, isNegotiated }) => ({
    feature,
    rate_usd: toUsdNumber(rate),
    minimum_usd: toUsdNumber(minimum),
    estimated_hold_usd: toUsdNumber(hold),
    is_negotiated: isNegotiated,
  }));
  return { text: table(['CAPABILITY', 'RATE', 'MINIMUM', 'HOLD', 'WHOSE'], rows), json };
}
