import type { Database } from '../../../../db/database.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { ExpectedUnits } from '../../../media-api/estimate.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobFailure, ShortCap } from '../cards.ts';
import { inputLengths } from '../inputs/input-lengths.ts';
import { inputSizes } from '../inputs/input-sizes.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import type { JobLimits } from '../job-limits.ts';
import { expectedUnits } from '../prices/expected-units.ts';
import type { Quote, Quotes } from '../prices/quote.ts';
import { capabilityOf } from './capability-of.ts';

export interface FitHoldTools {
  readonly db: Database;
  readonly ledger: Pick<Ledger, 'resize'>;
  readonly quotes: Pick<Quotes, 'of'>;
  readonly limits: Pick<JobLimits, 'clipSecondsDefault'>;
  readonly clock: Clock;
}

type FittedHold =
  | {
      readonly fits: true;
      readonly held: MicroUsd;
      /** The expected price. */
      readonly price: MicroUsd;
    }
  /** A cap does not have enough left, so the job ends with this failure. */
  | { readonly fits: false; readonly failure: JobFailure };

/**
 * Changes the hold from an amount for assumed lengths to the amount for the files' measured lengths. Repeated calls
 * change nothing more.
 */
export async function fitHold(job: JobRow, tools: FitHoldTools): Promise<FittedHold> {
  const inputs = await listJobInputs(tools.db.kysely, job.id);
  return setAside(job, await quoteOf(job, inputs, tools), tools);
}

/**
 * Changes the hold of a job that has waited, if the rate card has changed since the hold was last changed. Prices from
 * other sources do not change the hold, because they are less certain than the agreed price.
 */
export async function refitHold(
  job: JobRow,
  inputs: readonly JobInputRow[],
  tools: FitHoldTools,
): Promise<FittedHold> {
  const agreed = { held: job.hold_micros, price: job.quote_micros ?? job.hold_micros };
  const fitted = await quoteOf(job, inputs, tools);
  const { price, hold, source } = fitted.quote;
  const isChanged = price !== agreed.price || hold !== agreed.held;
  return source === 'card' && isChanged ? setAside(job, fitted, tools) : { fits: true, ...agreed };
}

/** A quote, and the inputs and units on which it is based. */
interface QuoteOfUnits {
  readonly quote: Quote;
  readonly expected: ExpectedUnits;
  readonly inputs: readonly JobInputRow[];
}

async function quoteOf(
  job: JobRow,
  inputs: readonly JobInputRow[],
  { quotes, limits }: FitHoldTools,
): Promise<QuoteOfUnits> {
  const capability = capabilityOf(job);
  const expected = expectedUnits(capability, {
    inputs: await inputSizes(inputs),
    parameters: parseParameters(job.parameters),
    secondsDefault: limits.clipSecondsDefault,
  });
  return { quote: quotes.of(capability, expected), expected, inputs };
}

async function setAside(
  job: JobRow,
  { quote: { price, hold, snapshot }, expected, inputs }: QuoteOfUnits,
  { db, ledger }: FitHoldTools,
): Promise<FittedHold> {
  const request = { subject: job.id, amount: hold, rateCard: snapshot };
  const outcome = await db.transaction(`guild:${job.guild_id}`, (trx) => ledger.resize(trx, request));
  if (outcome.held) return { fits: true, held: outcome.amount, price };
  const failure: JobFailure = {
    reason: 'budget',
    price: expected.isKnown ? price : null,
    needed: outcome.needed,
    lengths: inputLengths(capabilityOf(job), inputs, expected),
    cap: shortCap(outcome.cap),
  };
  return { fits: false, failure };
}

/**
 * Returns the fields of a cap that may be stored with the job. They do not include a member's id, which would have to
 * be removed with the member's data.
 */
function shortCap({ target, capability, period, limit, pending, left, resetsAtMs }: CapView): ShortCap {
  const whose = target.kind === 'member' ? { kind: target.kind } : target;
  return { target: whose, capability, period, limit, pending, left, resetsAtMs };
}
