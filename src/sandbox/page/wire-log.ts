import type { Clock } from '../../base/clock.ts';
import type { WireNote } from '../../base/wire-notes.ts';
import type { PageWireEntry } from './page-views.ts';

/** A note of traffic, or of what people do and order. Of its details only `DETAIL_FIELDS` are kept. */
export type PanelNote = Omit<WireNote, 'source'> & { readonly source: PageWireEntry['source'] };

const ENTRIES_MAX = 500;
const TEXT_LENGTH_MAX = 100;
/** What may be said about traffic: sizes, counts, amounts, kinds. Anything else is left out. */
const DETAIL_FIELDS: ReadonlySet<string> = new Set([
  'amount_usd',
  'attempt',
  'bytes',
  'capability',
  'channel',
  'close_code',
  'code',
  'command',
  'count',
  'delivered_to',
  'files',
  'guild',
  'injected',
  'job_status',
  'kind',
  'on',
  'reason',
  'seconds',
  'user',
]);
/** Longer runs of letters and digits are keys, tokens or signatures, never words; ids are shorter. */
const OPAQUE = /[A-Za-z0-9_-]{30,}/g;

/** The last 500 entries of the wire panel. Nothing secret gets in, whoever tells it. */
export class WireLog {
  readonly #clock: Clock;
  readonly #watchers = new Set<() => void>();
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

  note({ source, what, status, ms, detail = {} }: PanelNote): void {
    this.#entries.push({
      id: ++this.#lastId,
      at_ms: this.#clock.now(),
      action: this.#action,
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
}

function safeDetail(detail: Readonly<Record<string, unknown>>): PageWireEntry['detail'] {
  const kept: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(detail)) {
    if (!DETAIL_FIELDS.has(name)) continue;
    if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    if (typeof value === 'string') kept[name] = safeText(value);
  }
  return kept;
}

function safeText(text: string): string {
  return text.replace(/\?.*$/s, '').replace(OPAQUE, '[hidden]').slice(0, TEXT_LENGTH_MAX);
}
