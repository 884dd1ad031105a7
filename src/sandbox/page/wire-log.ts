import type { Clock } from '../../base/clock.ts';
import type { WireNote } from '../../base/wire-note.ts';
import type { PageWireEntry } from './wire-views.ts';
import { safeDetail, safeText } from './safe-words.ts';

/** A note of traffic, or of what people do and order. */
type PanelNote = Omit<WireNote, 'source'> & { readonly source: PageWireEntry['source'] };

const ENTRIES_MAX = 500;
const USES_MAX = 1_000;

/** The last 500 entries of the wire panel. Nothing secret gets in, whoever tells it. */
export class WireLog {
  readonly #clock: Clock;
  readonly #watchers = new Set<() => void>();
  /** Which action each use of the bot came from, oldest first. */
  readonly #actions = new Map<string, number>();
  #entries: PageWireEntry[] = [];
  #lastId = 0;
  #action = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  get entries(): readonly PageWireEntry[] {
    return this.#entries;
  }

  /** The number of the latest thing that somebody did. */
  get action(): number {
    return this.#action;
  }

  /** Those after the entry with this id, oldest first, and how many are known no more. */
  after(id: number): { readonly entries: readonly PageWireEntry[]; readonly missed: number } {
    const entries = this.#entries.filter((entry) => entry.id > id);
    const first = entries[0]?.id ?? this.#lastId + 1;
    return { entries, missed: id === 0 ? 0 : Math.max(0, first - id - 1) };
  }

  /** Somebody does something: what follows belongs to it. */
  begin(what: string, detail: PanelNote['detail'] = {}): void {
    this.#action++;
    this.note({ source: 'chat', what, detail });
  }

  /** A use of the bot begins: whatever is noted of it belongs to the action of now. The oldest of 1,000 are forgotten. */
  beginUse(useId: string): void {
    if (this.#actions.has(useId)) return;
    this.#actions.set(useId, this.#action);
    const [oldest] = this.#actions.size > USES_MAX ? this.#actions.keys() : [];
    if (oldest !== undefined) this.#actions.delete(oldest);
  }

  note({ source, what, status, ms, useId, detail = {} }: PanelNote): void {
    this.#entries.push({
      id: ++this.#lastId,
      at_ms: this.#clock.now(),
      action: this.#actionOf(useId),
      source,
      what: safeText(what),
      status: typeof status === 'string' ? safeText(status) : (status ?? null),
      ms: ms === undefined ? null : Math.round(ms * 10) / 10,
      detail: safeDetail(detail),
    });
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift();
    for (const watcher of this.#watchers) watcher();
  }

  clear(): void {
    this.#entries = [];
  }

  /** Calls `watcher` after each new entry, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** 0 for a use that is not known here, or no more. */
  #actionOf(useId: string | null | undefined): number {
    if (useId === undefined) return this.#action;
    return useId === null ? 0 : (this.#actions.get(useId) ?? 0);
  }
}
