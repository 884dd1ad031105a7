import { listJobInputs } from '../../db/queries/job-inputs.ts';
import type { JobRow } from '../../db/schema/jobs.ts';
import type { MicroUsd } from '../base/money.ts';
import type { CapView } from '../ledger/cap.ts';
import type { NeededLengths, ShortCap } from './cards.ts';
import { expectedUnits } from './expected-units.ts';
import { inputLengths } from './input-lengths.ts';
import { sizesOf } from './input-sizes.ts';
import { parseParameters } from './parameters.ts';
import { type StepRun, capabilityOf } from './step.ts';

export type FittedHold =
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
  const sizes = await sizesOf(inputs);
  const capability = capabilityOf(job);
  const parameters = parseParameters(job.parameters);
  const expected = expectedUnits(capability, sizes, parameters, run.limits.clipSecondsDefault);
  const { price, hold, snapshot } = run.quotes.of(capability, expected);
  const request = { subject: job.id, amount: hold, rateCard: snapshot };
  const outcome = await run.db.transaction(`guild:${job.guild_id}`, (trx) => run.ledger.resize(trx, request));
  if (outcome.held) return { fits: true, held: outcome.amount, price };
  return {
    fits: false,
    price: expected.isKnown ? price : null,
    needed: outcome.needed,
    lengths: inputLengths(capability, inputs, expected),
    cap: shortCap(outcome.cap),
  };
}

/** What may be stored with the job: nothing that outlives the removal of the member's data. */
function shortCap({ target, capability, period, limit, pending, left, resetsAtMs }: CapView): ShortCap {
  const whose = target.kind === 'member' ? { kind: target.kind } : target;
  return { target: whose, capability, period, limit, pending, left, resetsAtMs };
}
