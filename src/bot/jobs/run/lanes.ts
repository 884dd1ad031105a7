import { ASKING_LINE, type PassedOver, countAtService, lineOf } from '../../../../db/queries/job-lines.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Queryable } from '../../../../db/schema.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import { ASKING, type Lane, type OpenStage, PIPELINE, workOf } from './pipeline.ts';

/**
 * The number of places in the lane `status` for each place in another lane. It is high, because a status check mostly
 * waits for the rate limit.
 */
const STATUS_PLACES = 8;
/** The share of a lane's places that one guild's jobs may take. The remaining places are reserved for other guilds. */
const GUILD_SHARE_MAX = 0.5;
/** The stages in reverse order, so that jobs are finished before new ones are started. */
const STAGES = (Object.keys(PIPELINE) as OpenStage[]).toReversed();

/** The jobs that may be claimed now. */
interface OpenLines {
  /** The lines whose first job may be claimed, in the order in which they are tried. */
  readonly lines: readonly string[];
  /** For each line, the guilds that have taken all places that one guild may have in the line's lane. */
  readonly passedOver: readonly PassedOver[];
}

/**
 * The places for steps in this process, by `Lane`. A slow lane does not delay the others, and one guild's slow files do
 * not delay other guilds' jobs.
 */
export class Lanes {
  readonly #placesEach: number;
  /** For each lane, the guild of each job that has a place. */
  readonly #taken = new Map<Lane, string[]>();

  /** `placesEach` is the number of steps that run at the same time in each lane. */
  constructor(placesEach: number) {
    this.#placesEach = placesEach;
  }

  /** Takes a place for a step of the job. The returned function frees the place. */
  take(job: JobRow): () => void {
    const guilds = this.#guildsIn(workOf(job).lane);
    guilds.push(job.guild_id);
    return () => void guilds.splice(guilds.indexOf(job.guild_id), 1);
  }

  /** Returns the lines whose first job may be claimed now, in the order in which they are tried. */
  async openLines(db: Queryable, ceilings: Ceilings): Promise<OpenLines> {
    const open: { readonly lane: Lane; readonly line: string }[] = [];
    for (const stage of STAGES) {
      if (stage === 'fetched' && this.#hasPlace(ASKING.lane))
        open.push({ lane: ASKING.lane, line: ASKING_LINE });
      const { lane } = PIPELINE[stage];
      if (!this.#hasPlace(lane)) continue;
      const lines = stage === 'submitting' ? await submitLines(db, ceilings) : [stage];
      open.push(...lines.map((line) => ({ lane, line })));
    }
    return {
      lines: open.map(({ line }) => line),
      passedOver: open.flatMap(({ lane, line }) =>
        this.#fullGuilds(lane).map((guildId) => ({ line, guildId })),
      ),
    };
  }

  #hasPlace(lane: Lane): boolean {
    return this.#guildsIn(lane).length < this.#placesIn(lane);
  }

  #fullGuilds(lane: Lane): string[] {
    const most = Math.max(1, Math.floor(this.#placesIn(lane) * GUILD_SHARE_MAX));
    const guilds = this.#guildsIn(lane);
    return [...new Set(guilds)].filter((id) => guilds.filter((other) => other === id).length >= most);
  }

  #placesIn(lane: Lane): number {
    return lane === 'status' ? this.#placesEach * STATUS_PLACES : this.#placesEach;
  }

  #guildsIn(lane: Lane): string[] {
    const guilds = this.#taken.get(lane) ?? [];
    this.#taken.set(lane, guilds);
    return guilds;
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
