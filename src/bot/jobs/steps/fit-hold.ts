import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { ExpectedUnits } from '../../../media-api/estimate.ts';
import type { NeededLengths, ShortCap } from '../cards.ts';
import { expectedUnits } from '../prices/expected-units.ts';
import { inputLengths } from '../inputs/input-lengths.ts';
import { sizesOf } from '../inputs/input-sizes.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import type { Quote } from '../prices/quote.ts';
import { type StepRun, capabilityOf } from './step.ts';

type FittedHold =
  | {
      readonly fits: true;
      readonly held: MicroUsd;
      /** What it will probably be charged. */
      readonly price: MicroUsd;
    }
  | ({ readonly fits: false; readonly cap: ShortCap } & NeededLengths);

/**
 * Sets aside what the job will cost by the lengths of its files, in place of what was assumed when it was taken on.
 * A repeat changes nothing more.
 */
export async function fitHold(job: JobRow, run: StepRun): Promise<FittedHold> {
  const inputs = await listJobInputs(run.db.kysely, job.id);
  return setAside(job, await quoteOf(job, inputs, run), inputs, run);
}

/**
 * Sets aside what a job that has waited will cost, if the rate card has changed since its hold was fitted. Other
 * sources of prices change nothing: they are known less well than what was agreed.
 */
export async function refitHold(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: StepRun,
): Promise<FittedHold> {
  const agreed = { held: job.hold_micros, price: job.quote_micros ?? job.hold_micros };
  const fitted = await quoteOf(job, inputs, run);
  const { price, hold, source } = fitted.quote;
  const isChanged = price !== agreed.price || hold !== agreed.held;
  return source === 'card' && isChanged ? setAside(job, fitted, inputs, run) : { fits: true, ...agreed };
}

/** A quote and the units that it is for. */
interface QuoteOfUnits {
  readonly quote: Quote;
  readonly expected: ExpectedUnits;
}

async function quoteOf(job: JobRow, inputs: readonly JobInputRow[], run: StepRun): Promise<QuoteOfUnits> {
  const capability = capabilityOf(job);
  const parameters = parseParameters(job.parameters);
  const sizes = await sizesOf(inputs);
  const expected = expectedUnits(capability, sizes, parameters, run.limits.clipSecondsDefault);
  return { quote: run.quotes.of(capability, expected), expected };
}

async function setAside(
  job: JobRow,
  { quote: { price, hold, snapshot }, expected }: QuoteOfUnits,
  inputs: readonly JobInputRow[],
  run: StepRun,
): Promise<FittedHold> {
  const request = { subject: job.id, amount: hold, rateCard: snapshot };
  const outcome = await run.db.transaction(`guild:${job.guild_id}`, (trx) => run.ledger.resize(trx, request));
  if (outcome.held) return { fits: true, held: outcome.amount, price };
  return {
    fits: false,
    price: expected.isKnown ? price : null,
    needed: outcome.needed,
    lengths: inputLengths(capabilityOf(job), inputs, expected),
    cap: shortCap(outcome.cap),
  };
}

/** What may be stored with the job: nothing that outlives the removal of the member's data. */
function shortCap({ target, capability, period, limit, pending, left, resetsAtMs }: CapView): ShortCap {
  const whose = target.kind === 'member' ? { kind: target.kind } : target;
  return { target: whose, capability, period, limit, pending, left, resetsAtMs };
}
