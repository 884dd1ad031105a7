import { expect, test } from 'vitest';
import { groupWire } from '../../../../src/sandbox/page/client/wire/wire-groups.ts';
import { SOURCE_NAMES } from '../../../../src/sandbox/page/client/wire/wire-sources.ts';
import { durationText, wireText } from '../../../../src/sandbox/page/client/wire/wire-text.ts';
import type { PageWireEntry } from '../../../../src/sandbox/page/wire-views.ts';

const ALL = new Set(SOURCE_NAMES);
let lastId = 0;

function entry(changes: Partial<PageWireEntry>): PageWireEntry {
  return {
    id: ++lastId,
    at_ms: 0,
    action: 1,
    source: 'rest',
    what: 'GET /',
    status: 200,
    ms: null,
    detail: {},
    ...changes,
  };
}

const SWAP: readonly PageWireEntry[] = [
  entry({ at_ms: 500, action: 0, source: 'gateway', what: 'READY', status: null }),
  entry({ at_ms: 1_000, source: 'chat', what: 'runs /photo-swap', status: null, detail: { user: 'ada' } }),
  entry({ at_ms: 1_040, source: 'ledger', what: 'hold', status: null, detail: { amount_usd: '$0.06' } }),
  entry({ at_ms: 1_100, what: 'POST /callback', ms: 90 }),
  entry({ at_ms: 1_200, source: 'media_api', what: 'POST /uploads', ms: 50, detail: { files: 1 } }),
  entry({ at_ms: 1_300, source: 'media_api', what: 'POST /uploads', ms: 60, detail: { files: 1 } }),
  entry({ at_ms: 1_400, source: 'fault', what: 'drop_gateway', status: null, detail: { on: true } }),
];

test('groups traffic by action, latest first, in the order in which it started', () => {
  const [swap, before] = groupWire(SWAP, ALL);
  expect(before?.title).toBe('Outside any action');
  expect(swap).toMatchObject({
    title: 'runs /photo-swap',
    by: 'ada',
    beganAtMs: 1_000,
    spanMs: 400,
    hasTrouble: true,
  });
  expect(
    swap?.lines.map(({ entry: { what }, times, fromMs, lengthMs }) => [what, times, fromMs, lengthMs]),
  ).toEqual([
    ['runs /photo-swap', 1, 0, 0],
    ['POST /callback', 1, 10, 90],
    ['hold', 1, 40, 0],
    ['POST /uploads', 2, 150, 150],
    ['drop_gateway', 1, 400, 0],
  ]);
  expect(swap?.lanes.map(({ source, count }) => `${source} ${count}`)).toEqual([
    'chat 1',
    'rest 1',
    'media_api 2',
    'ledger 1',
    'fault 1',
  ]);
});

test('omits hidden kinds, and keeps the name of the action', () => {
  const [swap] = groupWire(SWAP, new Set(['ledger'] as const));
  expect(swap?.title).toBe('runs /photo-swap');
  expect(swap?.lines.map(({ entry: { what } }) => what)).toEqual(['hold']);
});

test('is exported as text for a report', () => {
  const text = wireText(groupWire(SWAP, ALL).slice(0, 1));
  expect(text.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d/, ''))).toEqual([
    '  ada: runs /photo-swap  (400 ms)',
    '  +0 ms      Member     runs /photo-swap',
    '  +10 ms     Chat REST  POST /callback -> 200 in 90 ms',
    '  +40 ms     Ledger     hold $0.06',
    '  +150 ms    Media API  POST /uploads -> 200 in 50 ms x2 1 file',
    '  +400 ms    Fault      drop gateway ordered',
  ]);
});

test.each([
  [0, '0 ms'],
  [0.64, '0.6 ms'],
  [999, '999 ms'],
  [1_234, '1.23 s'],
  [125_000, '2 min 5 s'],
])('writes %d ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
