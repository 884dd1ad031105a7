import type { Order } from './orders.ts';
import { type Found, type Tally, Worker } from './worker.ts';

export interface CampaignOptions {
  readonly targets: readonly string[];
  /** The number of inputs for each target. */
  readonly inputs: number;
  readonly seed: number;
  readonly workers: number;
  /** No new batch starts after this time. */
  readonly minutes?: number;
  readonly batch?: number;
  readonly onFound?: (found: Found) => void;
  readonly onBatch?: (target: string, tally: Tally) => void;
}

export interface CampaignResult {
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly found: readonly Found[];
}

const BATCH = 250;

/** Tries this many inputs of each target, all of which follow from the seed. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const untilMs = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const found: Found[] = [];
  const tallies = new Map<string, Tally>(
    options.targets.map((name) => [name, { tried: 0, accepted: 0, ms: 0 }]),
  );
  const orders = ordersOf(options);
  const work = async (): Promise<void> => {
    using worker = new Worker((finding) => {
      found.push(finding);
      options.onFound?.(finding);
    });
    for (let order = orders.shift(); order && performance.now() < untilMs; order = orders.shift()) {
      const tally = await worker.obey(order);
      tallies.set(order.target, sum(tallies.get(order.target), tally));
      options.onBatch?.(order.target, tally);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return { tallies, found };
}

/** Tries files again, each with its target. */
export async function replay(
  files: readonly { readonly target: string; readonly path: string }[],
): Promise<readonly Found[]> {
  const found: Found[] = [];
  using worker = new Worker((finding) => found.push(finding));
  for (const { target, path } of files) await worker.obey({ target, inputs: { path } });
  return found;
}

/** Alternates between all targets, so that each has had its share when the time is over. */
function ordersOf({ targets, inputs, seed, batch = BATCH }: CampaignOptions): Order[] {
  const orders: Order[] = [];
  for (let from = 0; from < inputs; from += batch) {
    const to = Math.min(inputs, from + batch);
    for (const target of targets) orders.push({ target, inputs: { seed, from, to } });
  }
  return orders;
}

function sum(a: Tally | undefined, b: Tally): Tally {
  return {
    tried: (a?.tried ?? 0) + b.tried,
    accepted: (a?.accepted ?? 0) + b.accepted,
    ms: (a?.ms ?? 0) + b.ms,
  };
}
