import { Schedule, type Tally } from './schedule.ts';
import { type Found, Worker } from './worker.ts';

export interface CampaignOptions {
  readonly targets: readonly string[];
  /** The number of inputs for each target. */
  readonly inputs: number;
  readonly seed: number;
  readonly workers: number;
  /** No new batch starts after this many minutes. */
  readonly minutes?: number;
  readonly onFound?: (found: Found) => void;
}

export interface CampaignResult {
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly found: readonly Found[];
}

/** Small enough that the slowest target occupies its worker for only a few seconds. */
const BATCH = 100;

/** Tries `inputs` inputs on each target, as far as time allows. All inputs follow from the seed. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const untilMs = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const found: Found[] = [];
  const schedule = new Schedule({ ...options, batch: BATCH, untilMs });
  const next = (): ReturnType<Schedule['next']> => schedule.next(performance.now());
  const work = async (): Promise<void> => {
    using worker = new Worker((finding) => {
      found.push(finding);
      options.onFound?.(finding);
    });
    for (let order = next(); order; order = next()) schedule.add(order.target, await worker.obey(order));
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return { tallies: schedule.tallies, found };
}

/** Tries files again, each on its own target. */
export async function replay(
  files: readonly { readonly target: string; readonly path: string }[],
): Promise<readonly Found[]> {
  const found: Found[] = [];
  using worker = new Worker((finding) => found.push(finding));
  for (const { target, path } of files) await worker.obey({ target, inputs: { path } });
  return found;
}
