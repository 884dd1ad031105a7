import type { PageWireEntry } from '../../wire-views.ts';
import { SOURCE_NAMES, type WireSource } from './wire-sources.ts';

/** One line of the panel: an entry, or several alike in a row. */
export interface WireLine {
  readonly entry: PageWireEntry;
  readonly times: number;
  /** Where the bar begins and how long it is, in milliseconds after the group's beginning. */
  readonly fromMs: number;
  readonly lengthMs: number;
}

/** What followed one thing that somebody did. */
export interface WireGroup {
  readonly action: number;
  /** Such as `/photo-swap` or `Beside the actions`. */
  readonly title: string;
  /** Who did it; empty when nobody did. */
  readonly by: string;
  readonly beganAtMs: number;
  readonly spanMs: number;
  /** Whether something in it went wrong or was ordered to. */
  readonly hasTrouble: boolean;
  readonly lines: readonly WireLine[];
  /** One for each kind that is there and shown, in the order of the filter. */
  readonly lanes: readonly WireLane[];
}

/** When there was traffic of a kind. */
interface WireLane {
  readonly source: WireSource;
  readonly count: number;
  readonly spans: readonly Pick<WireLine, 'fromMs' | 'lengthMs'>[];
}

/** Groups entries (oldest first) by action, latest action first; only lines of the kinds of `shown`. */
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

/** Whether an entry tells of something that did not go as it should. */
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
    title: began?.what ?? (action === 0 ? 'Beside the actions' : `Action ${action}`),
    by: typeof user === 'string' ? user : '',
    beganAtMs,
    spanMs: Math.max(1, endedAtMs - beganAtMs),
    hasTrouble: entries.some(isTrouble),
    lines: linesOf(seen, beganAtMs),
    lanes: SOURCE_NAMES.flatMap((name) => laneOf(name, seen, beganAtMs)),
  };
}

/** Entries are told when they are over. */
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

/** Entries alike in a row become one line. */
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
