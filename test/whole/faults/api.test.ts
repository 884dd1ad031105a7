import { describe, expect, test } from 'vitest';
import type { JobRow } from '../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../db/schema/ledger.ts';
import type { JobLimits } from '../../../src/bot/jobs/job-limits.ts';
import type { Arrival, Fault, FaultOrder } from './fault-proxy.ts';
import { type FaultyService, type FaultyServiceOptions, useFaultyService } from './use-faulty-service.ts';

interface Call {
  readonly matches: FaultOrder['matches'];
  /**
   * The number of requests that fail. For most calls it exceeds the number of attempts that the call itself makes, so
   * that the pipeline must repeat the step.
   */
  readonly times: number;
  readonly told: FaultyServiceOptions['told'];
}

const WEBHOOK = /^\/webhooks\//;

/** Every call between the bot and the service, in both directions. */
const CALLS: Readonly<Record<string, Call>> = {
  upload: { ...to('POST', /^\/api\/v1\/uploads$/), times: 4, told: 'by webhook' },
  submit: { ...to('POST', /^\/api\/v1\/face-swap-image$/), times: 6, told: 'by webhook' },
  'poll of the job': { ...to('GET', /^\/api\/v1\/jobs\//), times: 5, told: 'by polls' },
  'download of the result': { ...to('GET', /^\/api\/v1\/outputs\//), times: 4, told: 'by webhook' },
  'request for the prices': { ...to('GET', /^\/api\/v1\/pricing$/), times: 3, told: 'by webhook' },
  webhook: { ...to('POST', WEBHOOK), times: 1, told: 'by webhook' },
};

const JSON_TYPE = { 'content-type': 'application/json' };
const answer = (status: number, body: string, headers: Readonly<Record<string, string>>): Fault => {
  return { kind: 'answer', moment: 'before', status, body, headers };
};
const refusal = (status: number, code: string, headers = {}): Fault => {
  return answer(status, JSON.stringify({ error: { code, message: '' } }), { ...JSON_TYPE, ...headers });
};

/**
 * The faults that every call meets. A caller that is asked to wait waits longer each time, so faults that ask it to
 * wait occur only `timesMax` times.
 */
const FAULTS: Readonly<Record<string, { readonly fault: Fault; readonly timesMax?: number }>> = {
  'hangs before its effect': { fault: { kind: 'hang', moment: 'before' } },
  'hangs after its effect': { fault: { kind: 'hang', moment: 'after' } },
  'is reset before its effect': { fault: { kind: 'cut', moment: 'before' } },
  'is reset after its effect': { fault: { kind: 'cut', moment: 'after' } },
  'meets 429 rate_limited': { fault: refusal(429, 'rate_limited', { 'retry-after': '1' }), timesMax: 1 },
  'meets 429 at_capacity': { fault: refusal(429, 'at_capacity'), timesMax: 2 },
  "meets a proxy's 502 page": {
    fault: answer(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }),
  },
  "meets a proxy's 502 page after its effect": {
    fault: { kind: 'answer', moment: 'after', status: 502, body: '<html>', headers: {} },
  },
  'meets 500 internal_error': { fault: refusal(500, 'internal_error') },
  'is slow': { fault: { kind: 'slow', delayMs: 500 } },
};

function to(method: string, path: RegExp): Pick<Call, 'matches'> {
  return { matches: (request) => request.method === method && path.test(request.path.split('?')[0] ?? '') };
}

/** Runs one job with one fault. Returns a sentence for each expectation that does not hold. */
async function playCase(call: Call, fault: Fault, timesMax = Infinity): Promise<string[]> {
  const times = Math.min(timesMax, call.times);
  const place = await useFaultyService({
    told: call.told,
    orders: [{ matches: call.matches, times, fault }],
  });
  await place.swaps();
  await place.settled();
  const befallen = [...place.service.arrivals, ...place.webhooks.arrivals].filter((each) => each.fault);
  return [
    ...(befallen.length === times || (fault.kind === 'slow' && befallen.length > 0)
      ? []
      : [`affected ${befallen.length} requests, not ${times}`]),
    ...(await place.problems()),
    ...submitProblems(place),
    ...(await lateWebhookProblems(place)),
  ];
}

/**
 * Returns problems with the requests of a job: all submissions must have the same idempotency key and the same body,
 * and downloads must not carry the account's key.
 */
function submitProblems({ service }: FaultyService): string[] {
  const submits = service.arrivals.filter((each) => CALLS['submit']?.matches(each));
  const sent = submits.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body.toString()}`);
  const downloads = service.arrivals.filter((each) => each.path.includes('/outputs/'));
  const isKeyGiven = downloads.some(({ headers }) => headers.authorization !== undefined);
  return [
    ...(new Set(sent).size === 1 ? [] : ['submits differ']),
    ...(isKeyGiven ? ['the key went along with a download'] : []),
  ];
}

/**
 * Repeats the last webhook, as a service does if it assumes that the webhook was lost. Returns the problems that the
 * repeat causes.
 */
async function lateWebhookProblems(place: FaultyService): Promise<string[]> {
  const told = place.webhooks.arrivals.findLast((each: Arrival) => WEBHOOK.test(each.path));
  if (!told) return [];
  const status = await place.webhooks.repeat(told);
  const problems = await place.problems();
  return [
    ...(status >= 200 && status < 300 ? [] : [`a repeated webhook is answered with ${status}`]),
    ...problems.map((problem) => `after a repeated webhook: ${problem}`),
  ];
}

interface Lasting {
  readonly call: string;
  readonly fault: string;
  readonly limits?: Partial<JobLimits>;
  readonly ends: {
    readonly outcome: JobRow['outcome'];
    readonly hold: HoldRow['state'];
    readonly says: RegExp;
  };
}

const DELIVERED = { outcome: 'succeeded', hold: 'posted', says: /\$0\.04/ } as const;
const REFUSED = { outcome: 'failed', hold: 'voided', says: /Nothing was charged/ } as const;
/**
 * It is unknown whether the service created the job, so the money stays held until the operator has reviewed the hold.
 */
const SET_ASIDE = { outcome: 'unknown', hold: 'review', says: /./ } as const;
const SOON = { prepareMsMax: 1_000, submitMsMax: 1_000 };

const LASTING: readonly Lasting[] = [
  { call: 'upload', fault: 'is reset before its effect', limits: SOON, ends: REFUSED },
  { call: 'upload', fault: 'is reset after its effect', limits: SOON, ends: REFUSED },
  { call: 'upload', fault: 'meets 429 at_capacity', limits: SOON, ends: REFUSED },
  { call: 'submit', fault: 'is reset before its effect', limits: SOON, ends: SET_ASIDE },
  { call: 'submit', fault: 'is reset after its effect', limits: SOON, ends: SET_ASIDE },
  { call: 'submit', fault: 'meets 500 internal_error', limits: SOON, ends: SET_ASIDE },
  { call: 'poll of the job', fault: 'hangs after its effect', ends: DELIVERED },
  { call: 'request for the prices', fault: "meets a proxy's 502 page", ends: DELIVERED },
  { call: 'webhook', fault: 'is reset before its effect', ends: DELIVERED },
  { call: 'webhook', fault: 'meets 500 internal_error', ends: DELIVERED },
];

/** Runs one job with a fault that never ends. Returns a sentence for each difference from the expected end. */
async function playLasting({ call, fault, limits, ends }: Lasting): Promise<string[]> {
  const { matches = () => false } = CALLS[call] ?? {};
  const order = { matches, times: Infinity, fault: FAULTS[fault]?.fault ?? { kind: 'slow', delayMs: 0 } };
  const place = await useFaultyService({ told: 'by webhook', orders: [order], ...(limits && { limits }) });
  const use = await place.swaps();
  const { outcome } = await place.settled();
  const hold = await place.holdState();
  const text = use.reply?.text ?? '';
  return [
    ...(await place.problems()),
    ...(outcome === ends.outcome ? [] : [`ends ${outcome}, not ${ends.outcome}`]),
    ...(hold === ends.hold ? [] : [`the hold is ${hold}, not ${ends.hold}`]),
    ...(ends.says.test(text) ? [] : [`says ${JSON.stringify(text)}`]),
  ];
}

/** Runs all cases in parallel, and labels each problem with its case. */
async function problemsOf<T>(
  cases: readonly T[],
  nameOf: (each: T) => string,
  play: (each: T) => Promise<string[]>,
): Promise<string[]> {
  const outcomes = await Promise.all(
    cases.map(async (each) => {
      const problems = await play(each).catch((error: unknown) => [String(error)]);
      return problems.map((problem) => `The ${nameOf(each)}: ${problem}`);
    }),
  );
  return outcomes.flat();
}

describe('a fault that never ends leaves nothing open and nothing unexplained', () => {
  const befallen = [...new Set(LASTING.map(({ call }) => call))];

  test.each(befallen)('when it affects every %s', { timeout: 240_000 }, async (name) => {
    const cases = LASTING.filter(({ call }) => call === name);

    expect(await problemsOf(cases, ({ fault }) => `${name} ${fault}`, playLasting)).toEqual([]);
  });
});

describe('a job is delivered once, paid once and announced once', () => {
  test.each(Object.keys(CALLS))('whatever fault affects the %s', { timeout: 240_000 }, async (name) => {
    const call = CALLS[name];
    if (!call) throw new TypeError('There is no such call');
    const cases = Object.entries(FAULTS);

    const problems = await problemsOf(
      cases,
      ([what]) => `${name} ${what}`,
      ([, { fault, timesMax }]) => playCase(call, fault, timesMax),
    );

    expect(problems).toEqual([]);
  });
});
