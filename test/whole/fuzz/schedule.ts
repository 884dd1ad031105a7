import type { Order } from './orders.ts';

/** The results of a number of inputs that were tried on one target. */
export interface Tally {
  readonly tried: number;
  readonly accepted: number;
  /** The time that workers spent on these inputs. */
  readonly ms: number;
}

export interface ScheduleOptions {
  readonly targets: readonly string[];
  /** The number of inputs for each target. */
  readonly inputs: number;
  readonly seed: number;
  readonly workers: number;
  /** The maximum number of inputs in one order. */
  readonly batch: number;
  /** No order is given after this time. */
  readonly untilMs: number;
}

interface Progress extends Tally {
  readonly given: number;
}

/**
 * Gives out orders so that as many targets as possible reach their number of inputs in time. Each target gets one order
 * first, which shows how fast it is. After that the target with the least work left goes first, as long as it can be
 * finished in time. Targets that cannot be finished share the remaining time equally.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #progress: Map<string, Progress>;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const none: Progress = { given: 0, tried: 0, accepted: 0, ms: 0 };
    this.#progress = new Map(options.targets.map((name) => [name, none]));
  }

  get tallies(): ReadonlyMap<string, Tally> {
    return this.#progress;
  }

  /** The next order; undefined when all orders have been given or the time is up. */
  next(nowMs: number): Order | undefined {
    const { inputs, batch, seed, untilMs, workers } = this.#options;
    if (nowMs >= untilMs) return undefined;
    const target = this.#choose((untilMs - nowMs) * workers);
    const progress = target === undefined ? undefined : this.#progress.get(target);
    if (target === undefined || !progress) return undefined;
    const from = progress.given;
    const to = Math.min(inputs, from + batch);
    this.#progress.set(target, { ...progress, given: to });
    return { target, inputs: { seed, from, to } };
  }

  add(target: string, { tried, accepted, ms }: Tally): void {
    const before = this.#progress.get(target);
    if (!before) throw new TypeError(`Cannot count inputs of "${target}": there is no such target`);
    this.#progress.set(target, {
      given: before.given,
      tried: before.tried + tried,
      accepted: before.accepted + accepted,
      ms: before.ms + ms,
    });
  }

  #choose(budgetMs: number): string | undefined {
    const open = [...this.#progress].filter(([, { given }]) => given < this.#options.inputs);
    const fresh = open.find(([, { given }]) => given === 0);
    if (fresh) return fresh[0];
    const [least] = open.toSorted(([, a], [, b]) => this.#leftMs(a) - this.#leftMs(b));
    if (least && this.#leftMs(least[1]) <= budgetMs) return least[0];
    const [neglected] = open.toSorted(([, a], [, b]) => this.#spentMs(a) - this.#spentMs(b));
    return neglected?.[0];
  }

  #leftMs(progress: Progress): number {
    return (this.#options.inputs - progress.given) * msPerInput(progress);
  }

  #spentMs(progress: Progress): number {
    return progress.given * msPerInput(progress);
  }
}

/** 0 until one of the target's orders is done: a target is assumed to be fast until it proves to be slow. */
function msPerInput({ tried, ms }: Progress): number {
  return tried === 0 ? 0 : ms / tried;
}
