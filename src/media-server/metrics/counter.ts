/**
 * The label names and values of one sample. Values come from closed lists in the code, never from a caller.
 */
type Labels = Readonly<Record<string, string>>;

/** A value and its labels. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** One metric with all its samples, as Prometheus defines it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

/** Counts since the process started, separately for each set of labels. */
export class Counter implements Metric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #samples = new Map<string, { labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels, count: number = 1): void {
    const key = JSON.stringify(labels);
    const sample = this.#samples.get(key);
    if (sample) sample.value += count;
    else this.#samples.set(key, { labels, value: count });
  }

  get samples(): readonly Sample[] {
    return [...this.#samples.values()];
  }
}
