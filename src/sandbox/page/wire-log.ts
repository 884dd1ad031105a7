import type { Clock } from '../../base/clock.ts';
import type { WireNote } from '../../base/wire-note.ts';
import type { PageWireEntry } from './wire-views.ts';
import { safeDetail, safeText } from './safe-text.ts';

/** A note about traffic, about an action of a member, or about an injected fault. */
type PanelNote = Omit<WireNote, 'source'> & { readonly source: PageWireEntry['source'] };

const ENTRIES_MAX = 500;
const USES_MAX = 1_000;

/** The last 500 entries of the wire panel. Secrets are removed from every note, regardless of its source. */
export class WireLog {
  readonly #clock: Clock;
  readonly #watchers = new Set<() => void>();
  /** By use id, the number of the action that caused the use. Oldest use first. */
  readonly #actions = new Map<string, number>();
  #entries: PageWireEntry[] = [];
  #lastId = 0;
  #action = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The entries, oldest first. */
  get entries(): readonly PageWireEntry[] {
    return this.#entries;
  }

  /** The number of the latest action. */
  get action(): number {
    return this.#action;
  }

  /**
   * Returns the stored entries after the entry with this id, oldest first, and the number of later entries that are no
   * longer stored.
   */
  after(id: number): { readonly entries: readonly PageWireEntry[]; readonly missed: number } {
    const entries = this.#entries.filter((entry) => entry.id > id);
    const first = entries[0]?.id ?? this.#lastId + 1;
    return { entries, missed: id === 0 ? 0 : Math.max(0, first - id - 1) };
  }

  /** Starts a member's action. The traffic that follows belongs to this action. */
  begin(what: string, detail: PanelNote['detail'] = {}): void {
    this.#action++;
    this.note({ source: 'chat', what, detail });
  }

  /**
   * Starts a use of the bot. All notes about the use belong to the current action, even later notes. At most 1,000 uses
   * are stored; the oldest are deleted.
   */
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

  /**
   * Returns the number of the action that caused a use, or 0 if the use is null or not stored. If `useId` is undefined,
   * returns the number of the latest action.
   */
  #actionOf(useId: string | null | undefined): number {
    if (useId === undefined) return this.#action;
    return useId === null ? 0 : (this.#actions.get(useId) ?? 0);
  }
}
