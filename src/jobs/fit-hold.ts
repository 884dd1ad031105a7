import { readFile } from 'node:fs/promises';
import { listJobInputs } from '../../db/queries/job-inputs.ts';
import type { JobInputRow, JobRow } from '../../db/schema.ts';
import type { MicroUsd } from '../base/money.ts';
import { type InputSize, expectedUnits } from './expected-units.ts';
import { parseParameters } from './parameters.ts';
import { type StepRun, capabilityOf } from './step.ts';

export type FittedHold =
  | { readonly fits: true; readonly amount: MicroUsd }
  | { readonly fits: false; readonly needed: MicroUsd };

/**
 * Sets aside what the job will cost by the lengths of its files, in place of what was assumed when it was taken on.
 * A repeat changes nothing more.
 */
export async function fitHold(job: JobRow, run: StepRun): Promise<FittedHold> {
  const sizes = new Map<string, InputSize>();
  for (const input of await listJobInputs(run.db.kysely, job.id)) sizes.set(input.field, await sizeOf(input));
  const capability = capabilityOf(job);
  const parameters = parseParameters(job.parameters);
  const units = expectedUnits(capability, sizes, parameters, run.limits.clipSecondsDefault);
  const { amount, rateCard } = run.quotes.of(capability, units);
  const request = { subject: job.id, amount, rateCard };
  const outcome = await run.db.transaction(`guild:${job.guild_id}`, (trx) => run.ledger.resize(trx, request));
  return outcome.held ? { fits: true, amount: outcome.amount } : { fits: false, needed: outcome.needed };
}

async function sizeOf({ kind, path, duration_ms: durationMs }: JobInputRow): Promise<InputSize> {
  if (kind === 'text' && path !== null) return { characters: (await readFile(path, 'utf8')).length };
  return durationMs === null ? {} : { seconds: durationMs / 1000 };
}
