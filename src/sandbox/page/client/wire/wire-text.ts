import type { PageWireEntry } from '../../wire-views.ts';
import type { WireGroup, WireLine } from './wire-groups.ts';
import { SOURCES } from './wire-sources.ts';

/** Returns text such as `8 ms`, `1.24 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${ms < 9.95 && !Number.isInteger(ms) ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns text such as `21:05:09`, in the time zone of the browser. */
export function timeText(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

/** Details that are shown elsewhere, or that only programs need. */
const HIDDEN_DETAILS: ReadonlySet<string> = new Set(['user', 'guild', 'channel']);

/** Returns the details of an entry, such as `submit a photo-swap job · 1,024 bytes`. */
export function detailText(detail: PageWireEntry['detail']): string {
  return Object.entries(detail)
    .filter(([name, value]) => !HIDDEN_DETAILS.has(name) && !(name === 'delivered_to' && value === 0))
    .map(([name, value]) => oneDetail(name, value))
    .join(' · ');
}

/** Returns text such as `POST /uploads` or, for a fault, `drop gateway`. */
export function whatText({ source, what }: PageWireEntry): string {
  return source === 'fault' ? what.replaceAll('_', ' ') : what;
}

/** Returns the groups as lines of text, for a report. */
export function wireText(groups: readonly WireGroup[]): string {
  return groups
    .map(({ title, by, beganAtMs, spanMs, lines }) => {
      const head = `${timeText(beganAtMs)}  ${by === '' ? '' : `${by}: `}${title}  (${durationText(spanMs)})`;
      return [head, ...lines.map(lineText)].join('\n');
    })
    .join('\n\n');
}

function lineText({ entry, times, fromMs }: WireLine): string {
  const parts = [
    `  +${durationText(fromMs)}`.padEnd(12),
    SOURCES[entry.source].padEnd(10),
    whatText(entry),
    entry.status === null ? '' : `-> ${entry.status}`,
    entry.ms === null ? '' : `in ${durationText(entry.ms)}`,
    times > 1 ? `x${times}` : '',
    detailText(entry.detail),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function oneDetail(name: string, value: string | number | boolean): string {
  if (name === 'amount_usd' || name === 'kind') return String(value);
  if (name === 'on') return value === true ? 'ordered' : 'taken back';
  if (typeof value === 'number' && (name === 'bytes' || name === 'files' || name === 'seconds')) {
    return `${value.toLocaleString('en-US')} ${value === 1 ? name.slice(0, -1) : name}`;
  }
  return `${name.replaceAll('_', ' ')} ${value}`;
}
