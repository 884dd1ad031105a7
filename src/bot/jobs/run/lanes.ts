import { ASKING_LINE, countAtService, lineOf } from '../../../../db/queries/job-lines.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Queryable } from '../../../../db/schema.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import { ASKING, type Lane, type OpenStage, PIPELINE, workOf } from './pipeline.ts';

/**
 * The lane `status` has this many times the places of another lane, because a status check only waits for the rate
 * limit most of the time.
 */
const STATUS_PLACES = 8;
/** The stages in reverse order, so that jobs are finished before new ones are started. */
const STAGES = (Object.keys(PIPELINE) as OpenStage[]).toReversed();

/** The places for steps in this process, by `Lane`. A slow lane does not delay the others. */
export class Lanes {
  readonly #placesEach: number;
  readonly #taken = new Map<Lane, number>();

  /** `placesEach` is the number of steps that run at the same time in each lane. */
  constructor(placesEach: number) {
    this.#placesEach = placesEach;
  }

  /** Takes a place for a step of the job. The returned function gives it back. */
  take(job: JobRow): () => void {
    const { lane } = workOf(job);
    this.#taken.set(lane, (this.#taken.get(lane) ?? 0) + 1);
    return () => this.#taken.set(lane, (this.#taken.get(lane) ?? 0) - 1);
  }

  /** Returns the lines whose first job may be claimed now, in the order in which they are tried. */
  async openLines(db: Queryable, ceilings: Ceilings): Promise<string[]> {
    const lines: string[] = [];
    for (const stage of STAGES) {
      if (stage === 'fetched' && this.#hasPlace(ASKING.lane)) lines.push(ASKING_LINE);
      if (!this.#hasPlace(PIPELINE[stage].lane)) continue;
      if (stage === 'submitting') lines.push(...(await submitLines(db, ceilings)));
      else lines.push(stage);
    }
    return lines;
  }

  #hasPlace(lane: Lane): boolean {
    const places = lane === 'status' ? this.#placesEach * STATUS_PLACES : this.#placesEach;
    return (this.#taken.get(lane) ?? 0) < places;
  }
}

async function submitLines(db: Queryable, ceilings: Ceilings): Promise<string[]> {
  const open: Capability[] = [];
  for (const capability of CAPABILITIES) {
    const countUpTo = ceilings.countUpTo(capability);
    const atService = countUpTo === 0 ? 0 : await countAtService(db, capability, countUpTo);
    if (ceilings.hasRoom(capability, atService)) open.push(capability);
  }
  return open.map((capability) => lineOf('submitting', capability));
}
