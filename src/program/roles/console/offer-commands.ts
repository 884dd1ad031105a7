import { formatUsd, toUsdNumber } from '../../../base/money.ts';
import type { MediaAdmin, RateInForce } from '../../../media-server/media-admin.ts';
import { type Command, type CommandAnswer, type CommandCall, ConsoleError } from './command.ts';
import { table } from './table.ts';
import { namedAccount, valueAt } from './account-of.ts';

/** Commands for rates, capabilities and ceilings, and for cancelling a job. */
export const OFFER_COMMANDS: readonly Command[] = [
  {
    words: 'rates show',
    values: [],
    options: ['--account <id or name>'],
    what: 'shows the public rates, or those that apply to an account',
    run: (call) => showRates(call.admin.listRates(namedAccount(call))),
  },
  {
    words: 'rates set',
    values: ['<capability>'],
    options: ['--rate <dollars>', '--minimum <dollars>', '--hold <dollars>', '--account <id or name>'],
    what: 'changes the public rate, or negotiates one for an account; running jobs keep theirs',
    run(call) {
      const { rate = null, minimum = null, hold = null } = call.options;
      const capability = valueAt(call, 0);
      const accountId = namedAccount(call) ?? null;
      const { done } = call.runVerb({ verb: 'set_rate', capability, accountId, rate, minimum, hold });
      return showRate(call, done);
    },
  },
  {
    words: 'rates reset',
    values: ['<capability>'],
    options: ['--account <id or name>'],
    what: 'removes the negotiated rate of an account; the public rate applies to it again',
    run(call) {
      const accountId = namedAccount(call);
      if (accountId === undefined) {
        throw new ConsoleError('Cannot reset the public rate: name an account with --account');
      }
      const { done } = call.runVerb({ verb: 'reset_rate', capability: valueAt(call, 0), accountId });
      return showRate(call, done);
    },
  },
  {
    words: 'capabilities list',
    values: [],
    options: [],
    what: 'lists every capability, and whether it is switched on',
    run: ({ admin }) => showCapabilities(admin),
  },
  ...([true, false] as const).map((enabled): Command => {
    const word = enabled ? 'on' : 'off';
    return {
      words: `capabilities ${word}`,
      values: ['<capability>'],
      options: [],
      what: enabled ? 'offers a capability' : 'refuses new work for a capability; running work continues',
      run(call) {
        const feature = valueAt(call, 0);
        const { done } = call.runVerb({ verb: 'switch_capability', capability: feature, enabled });
        return { text: done, json: { feature, enabled } };
      },
    };
  }),
  {
    words: 'ceilings list',
    values: [],
    options: [],
    what: 'shows how much can run at the same time, over all accounts',
    run({ admin }) {
      const ceilings = admin.listCeilings();
      const rows = ceilings.map(({ name, what, value }) => [name, String(value ?? 'default'), what]);
      return { text: table(['CEILING', 'VALUE', 'WHAT'], rows), json: ceilings };
    },
  },
  {
    words: 'ceilings set',
    values: ['<ceiling>', '<value>'],
    options: [],
    what: 'changes a ceiling; above it, callers get 429 at_capacity',
    run(call) {
      const name = valueAt(call, 0);
      const value = valueAt(call, 1);
      const { done } = call.runVerb({ verb: 'set_ceiling', ceiling: name, value });
      return { text: done, json: { name, value: Number(value) } };
    },
  },
  {
    words: 'jobs cancel',
    values: ['<job id>'],
    options: [],
    what: 'ends a job as failed and releases its whole hold',
    run(call) {
      const id = valueAt(call, 0);
      const { done } = call.runVerb({ verb: 'cancel_job', jobId: id });
      return { text: done, json: { id, cancelled: true } };
    },
  },
];

function showCapabilities(admin: MediaAdmin): CommandAnswer {
  const capabilities = admin.listCapabilities();
  const rows = capabilities.map(({ feature, enabled }) => [feature, enabled ? 'on' : 'off']);
  return { text: table(['CAPABILITY', 'STATE'], rows), json: capabilities };
}

/** Shows the rate that now applies to the call's capability. */
function showRate(call: CommandCall, done: string): CommandAnswer {
  const rates = call.admin.listRates(namedAccount(call));
  const { text, json } = showRates(rates.filter(({ feature }) => feature === valueAt(call, 0)));
  return { text: `${done}\n\n${text}`, json };
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
