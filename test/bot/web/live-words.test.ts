import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MicroUsd, micros } from '../../../src/base/money.ts';
import type { LiveSwapEnd } from '../../../src/bot/sessions/live-swap/live-swap-end.ts';
import { isKey, passCookie, passOf } from '../../../src/bot/web/live/pass-cookie.ts';
import { readOutputMessage, readPageMessage, toJson } from '../../../src/bot/web/live/page-messages.ts';
import { toHello, toState } from '../../../src/bot/web/live/to-wire.ts';
import type { LivePhase, LiveSwapView } from '../../../src/bot/sessions/live-swap/live-swap-view.ts';
import type { LiveSwapPages } from '../../../src/bot/web/live/live-swap-pages.ts';

const PASS = `aB9-_${'x'.repeat(38)}`;
const OTHER = 'y'.repeat(43);

describe('the cookie of a page', () => {
  test.each([
    ['http://127.0.0.1:3000/live/', `masquerade_live=${PASS}; Path=/live/; HttpOnly; SameSite=Strict`],
    [
      'https://a.example/b/live/',
      `masquerade_live=${PASS}; Path=/b/live/; HttpOnly; SameSite=Strict; Secure`,
    ],
  ])('of %s is for it alone, and is secure if the address is', (url, cookie) => {
    expect(passCookie(PASS, new URL(url))).toBe(cookie);
    expect(passOf(cookie.split(';', 1)[0])).toBe(PASS);
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    [`masquerade_live=${PASS}`, PASS],
    [`a=b; masquerade_live=${PASS}; c=d`, PASS],
    [`a=b;masquerade_live=${PASS}`, PASS],
    [`masquerade_live=${PASS}; masquerade_live=${OTHER}`, PASS],
    [`masquerade_live=short; masquerade_live=${OTHER}`, OTHER],
    [`masquerade_live=; masquerade_live`, undefined],
    [`masquerade_live2=${PASS}`, undefined],
    [`xmasquerade_live=${PASS}`, undefined],
    [`MASQUERADE_LIVE=${PASS}`, undefined],
    [`masquerade_live=${PASS}x`, undefined],
    [`masquerade_live=${PASS.slice(1)}`, undefined],
    [`other=${PASS}`, undefined],
  ])('is found in %j', (header, pass) => {
    expect(passOf(header)).toBe(pass);
  });

  test('holds exactly 43 characters of a key', () => {
    for (const character of 'azAZ09-_') expect(isKey(character.repeat(43))).toBe(true);
    for (const character of '+/=.% \nä') expect(isKey(`${'a'.repeat(42)}${character}`)).toBe(false);
    for (const length of [0, 42, 44]) expect(isKey('a'.repeat(length))).toBe(false);
  });
});

/** Messages, and whether the member's page and the output page may send them. */
const MESSAGES: readonly (readonly [message: unknown, isOfPage: boolean, isOfOutput: boolean])[] = [
  [{ type: 'taken' }, true, true],
  [{ type: 'start' }, true, false],
  [{ type: 'stop' }, true, false],
  [{ type: 'share' }, true, false],
  [{ type: 'unshare' }, true, false],
  [{ type: 'agree', version: '2026-01' }, true, false],
  [{ type: 'agree', version: '' }, true, false],
  [{ type: 'agree', version: 'x'.repeat(300) }, true, false],
  [{ type: 'agree', version: 'x'.repeat(301) }, false, false],
  [{ type: 'agree' }, false, false],
  [{ type: 'agree', version: 1 }, false, false],
  [{ type: 'start', minutes: 240 }, false, false],
  [{ type: 'taken', more: true }, false, false],
  [{ type: 'Start' }, false, false],
  [{ type: 'hello' }, false, false],
  [{}, false, false],
  [[], false, false],
  [null, false, false],
  ['start', false, false],
];

test.each(MESSAGES)(
  'reads %j as a message of the page: %s, of the output: %s',
  (message, isOfPage, isOfOutput) => {
    const text = JSON.stringify(message);
    expect(readPageMessage(text)).toEqual(isOfPage ? message : undefined);
    expect(readOutputMessage(text)).toEqual(isOfOutput ? message : undefined);
  },
);

test('reads no text of more than 2,048 characters, and only JSON', () => {
  const text = (length: number): string => JSON.stringify({ a: '' }).padEnd(length, ' ');
  expect([2_047, 2_048, 2_049].map((length) => toJson(text(length)))).toEqual([
    { a: '' },
    { a: '' },
    undefined,
  ]);
  fc.assert(
    fc.property(fc.string(), (words) => {
      expect(readPageMessage(words)).toBeUndefined();
      expect(readOutputMessage(words)).toBeUndefined();
    }),
  );
});

function view(phase: LivePhase, changes: Partial<LiveSwapView> = {}): LiveSwapView {
  return {
    guildId: 'guild',
    guildName: 'The server',
    minutes: 7,
    prompt: 'a wish',
    face: { name: 'mine' },
    perMinute: micros(300_000),
    expected: micros(2_100_000),
    isAgreed: false,
    phase,
    ...changes,
  };
}

const LIVE = {
  kind: 'live',
  grantedSeconds: 420,
  prompt: 'as understood',
  meteredMs: 0,
  leftMs: 0,
  estimate: micros(10),
  held: micros(100),
  viewers: 3,
} as const;

describe('a message to a page', () => {
  test('first states the facts that do not change', () => {
    const pages = {
      consent: { version: 'v3', paragraphs: ['one', 'two'] },
      service: 'media.example.org',
      limits: { silentMs: 12_500, aheadMax: 5 },
    } as unknown as LiveSwapPages;

    expect(toHello(view(LIVE), pages)).toEqual({
      type: 'hello',
      guildName: 'The server',
      service: 'media.example.org',
      minutes: 7,
      prompt: 'a wish',
      face: { name: 'mine' },
      perMinute: 300_000,
      heldMax: 2_100_000,
      consent: { version: 'v3', paragraphs: ['one', 'two'] },
      frames: { width: 640, height: 360, bytesMax: 1_048_576, perSecondMax: 60, aheadMax: 5 },
      silentSeconds: 12.5,
    });
  });

  test.each([true, false])('states while the page waits whether the member agreed: %s', (isAgreed) => {
    const phase = { kind: 'waiting', isEntered: true, untilMs: 12_345 } as const;
    expect(toState(view(phase, { isAgreed }))).toEqual({
      type: 'state',
      phase: 'waiting',
      agreed: isAgreed,
      startByMs: 12_345,
    });
    expect(toState(view({ kind: 'connecting' }))).toEqual({ type: 'state', phase: 'connecting' });
  });

  test.each([
    [0, 0, 0, 0],
    [999, 1, 0, 1],
    [1_000, 999, 1, 1],
    [1_001, 1_000, 1, 1],
    [59_999, 1_001, 59, 2],
  ])('states after %i ms, with %i ms left, %i s and %i s', (meteredMs, leftMs, usedSeconds, leftSeconds) => {
    expect(toState(view({ ...LIVE, meteredMs, leftMs }))).toEqual({
      type: 'state',
      phase: 'live',
      usedSeconds,
      leftSeconds,
      grantedSeconds: 420,
      used: 10,
      left: 90,
      prompt: 'as understood',
      viewers: 3,
    });
  });

  test.each([
    [100, 100, 0],
    [101, 100, 0],
    [99, 100, 1],
  ])('states after a cost of %i of the %i held that %i are left', (estimate, held, left) => {
    const phase = { ...LIVE, estimate: micros(estimate), held: micros(held) };
    expect(toState(view(phase))).toMatchObject({ used: estimate, left });
  });

  const REASONS: Readonly<Record<LiveSwapEnd, RegExp>> = {
    stopped: /You stopped/,
    closed: /page was closed/,
    silent: /No pictures came/,
    granted: /used up/,
    lost: /connection .* broke/,
    not_allowed: /not allowed/,
    consent_gone: /consent/,
    face_gone: /saved face/,
    expired: /not started in time/,
    shutdown: /switched off/,
  };

  test.each(Object.keys(REASONS) as LiveSwapEnd[])(
    'states after the end "%s" the reason, the cost and what to do',
    (why) => {
      const ended = (charged: MicroUsd | null): object =>
        toState(view({ kind: 'ended', why, meteredMs: 61_999, estimate: micros(310_000), charged }));
      const told = { type: 'state', phase: 'ended', why, usedSeconds: 61, used: 310_000 };
      const text = (cost: string): unknown =>
        expect.stringMatching(
          new RegExp(`${REASONS[why].source}.*\\.${cost} Use /live start in the chat for another one\\.$`),
        );
      expect(ended(null)).toEqual({ ...told, charged: null, text: text('') });
      expect(ended(micros(0))).toEqual({ ...told, charged: 0, text: text(' It cost \\$0\\.00\\.') });
      expect(ended(micros(250_000))).toEqual({
        ...told,
        charged: 250_000,
        text: text(' It cost \\$0\\.25\\.'),
      });
    },
  );
});
