import type { PageWireEntry } from '../../wire-views.ts';
import { SOURCE_NAMES, type WireSource } from './wire-sources.ts';

/** One line of the panel: an entry, or several similar entries in a row. */
export interface WireLine {
  readonly entry: PageWireEntry;
  readonly times: number;
  /** The start of the line's bar, in milliseconds from the start of the group. `lengthMs` is its length. */
  readonly fromMs: number;
  readonly lengthMs: number;
}

/** The traffic that followed one action of a member. */
export interface WireGroup {
  readonly action: number;
  /** A title such as `/photo-swap` or `Outside any action`. */
  readonly title: string;
  /** The name of the member who acted, or an empty string. */
  readonly by: string;
  readonly beganAtMs: number;
  readonly spanMs: number;
  /** Whether one of the group's entries is an error or an injected fault. */
  readonly hasTrouble: boolean;
  readonly lines: readonly WireLine[];
  /** One lane for each kind of traffic that is shown and occurs in the group, in the order of the filter. */
  readonly lanes: readonly WireLane[];
}

/** The times at which traffic of one kind occurred. */
interface WireLane {
  readonly source: WireSource;
  readonly count: number;
  readonly spans: readonly Pick<WireLine, 'fromMs' | 'lengthMs'>[];
}

/** Groups entries (oldest first) by action, latest action first. Only lines of the kinds in `shown` are included. */
export function groupWire(
  entries: readonly PageWireEntry[],
  shown: ReadonlySet<WireSource>,
): readonly WireGroup[] {
  const byAction = new Map<number, PageWireEntry[]>();
  for (const entry of entries) {
    const known = byAction.get(entry.action);
    if (known) known.push(entry);
    else byAction.set(entry.action, [entry]);
  }
  return [...byAction].map(([action, group]) => groupOf(action, group, shown)).toReversed();
}

/** Whether an entry is an error or an injected fault. */
export function isTrouble({ source, status }: PageWireEntry): boolean {
  if (source === 'fault') return true;
  if (typeof status === 'number') return status >= 400;
  return status !== null && /fail|error|lost|refus|dead|expired/i.test(status);
}

function groupOf(
  action: number,
  entries: readonly PageWireEntry[],
  shown: ReadonlySet<WireSource>,
): WireGroup {
  const began = entries.find(({ source }) => source === 'chat');
  const beganAtMs = began?.at_ms ?? Math.min(...entries.map(startOf));
  const endedAtMs = Math.max(...entries.map(({ at_ms }) => at_ms));
  const user = began?.detail['user'];
  const seen = entries
    .filter(({ source }) => shown.has(source))
    .toSorted((a, b) => startOf(a) - startOf(b) || a.id - b.id);
  return {
    action,
    title: began?.what ?? (action === 0 ? 'Outside any action' : `Action ${action}`),
    by: typeof user === 'string' ? user : '',
    beganAtMs,
    spanMs: Math.max(1, endedAtMs - beganAtMs),
    hasTrouble: entries.some(isTrouble),
    lines: linesOf(seen, beganAtMs),
    lanes: SOURCE_NAMES.flatMap((name) => laneOf(name, seen, beganAtMs)),
  };
}

/** Returns the time at which an entry began; `at_ms` is the time at which it ended. */
function startOf({ at_ms, ms }: PageWireEntry): number {
  return at_ms - (ms ?? 0);
}

function laneOf(
  source: WireSource,
  entries: readonly PageWireEntry[],
  beganAtMs: number,
): readonly WireLane[] {
  const own = entries.filter((entry) => entry.source === source);
  const spans = own.map((entry) => ({
    fromMs: Math.max(0, startOf(entry) - beganAtMs),
    lengthMs: entry.ms ?? 0,
  }));
  return own.length === 0 ? [] : [{ source, count: own.length, spans }];
}

/** Returns the lines for entries. Similar entries in a row become one line. */
function linesOf(entries: readonly PageWireEntry[], beganAtMs: number): readonly WireLine[] {
  const lines: WireLine[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    const endMs = entry.at_ms - beganAtMs;
    const fromMs = Math.max(0, endMs - (entry.ms ?? 0));
    if (last && isAlike(last.entry, entry)) {
      lines[lines.length - 1] = {
        ...last,
        times: last.times + 1,
        lengthMs: Math.max(0, endMs - last.fromMs),
      };
    } else {
      lines.push({ entry, times: 1, fromMs, lengthMs: Math.max(0, endMs - fromMs) });
    }
  }
  return lines;
}

function isAlike(a: PageWireEntry, b: PageWireEntry): boolean {
  return (
    a.source === b.source &&
    a.what === b.what &&
    a.status === b.status &&
    JSON.stringify(a.detail) === JSON.stringify(b.detail)
  );
}
