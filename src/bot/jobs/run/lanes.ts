import { ASKING_LINE, countAtService, lineOf } from '../../../../db/queries/job-lines.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Queryable } from '../../../../db/schema.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import { ASKING, type Lane, type OpenStage, PIPELINE, workOf } from './pipeline.ts';

/** A status check costs next to nothing while it waits for the rate limit, and must not hold up told ends. */
const STATUS_PLACES = 8;
/** Those that are furthest on their way first: what was begun is finished before more is begun. */
const STAGES = (Object.keys(PIPELINE) as OpenStage[]).toReversed();

/** The places for steps in this process, by `Lane`: who is slow holds up nobody else. */
export class Lanes {
  readonly #placesEach: number;
  readonly #taken = new Map<Lane, number>();

  /** `placesEach`: steps that run side by side in each lane. */
  constructor(placesEach: number) {
    this.#placesEach = placesEach;
  }

  /** A step of the job takes a place until the function returned is called. */
  take(job: JobRow): () => void {
    const { lane } = workOf(job);
    this.#taken.set(lane, (this.#taken.get(lane) ?? 0) + 1);
    return () => this.#taken.set(lane, (this.#taken.get(lane) ?? 0) - 1);
  }

  /** The lines whose first may be taken now, in the order to look at them. */
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
