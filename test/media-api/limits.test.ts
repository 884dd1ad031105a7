import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { micros, parseUsd } from '../../src/base/money.ts';
import type { DownloadError } from '../../src/media-api/download-error.ts';
import { estimate } from '../../src/media-api/estimate.ts';
import type { MediaApi } from '../../src/media-api/media-api.ts';
import { SessionTicket } from '../../src/media-api/session-ticket.ts';
import { mostOfSession } from '../../src/media-api/time-price.ts';
import { readVoiceFormat } from '../../src/media-api/voice-format.ts';
import { useFolder } from '../helpers/use-folder.ts';
import { json, refuse, useClient, useStubApi } from './use-stub-api.ts';

const OPENED = {
  session_id: 'ses_1',
  stream_url: 'ws://127.0.0.1:9/stream/1',
  session_token: 'token',
  max_duration_sec: 300,
  max_cost_usd: 0.3,
};

describe('a session', () => {
  test.each([
    [0, false],
    [1, true],
    [120, true],
    [121, false],
  ])('for a voice of %i minutes is requested: %s', async (minutes, isAsked) => {
    const stub = await useStubApi(json(200, OPENED));
    const open = async (): Promise<unknown> => useClient(stub).sessions.openVoice({ minutes, voiceId: null });
    if (isAsked) await open();
    else await expect(open).rejects.toThrow(RangeError);
    expect(stub.arrivals()).toBe(isAsked ? 1 : 0);
  });

  test.each([
    [0, 0, false],
    [1, 0, true],
    [240, 2_000, true],
    [241, 0, false],
    [240, 2_001, false],
  ])(
    'for a face of %i minutes with a prompt of %i characters is requested: %s',
    async (minutes, length, isAsked) => {
      const stub = await useStubApi(json(200, OPENED));
      const request = { minutes, prompt: 'x'.repeat(length) };
      const open = async (): Promise<unknown> => useClient(stub).sessions.openLive(request);
      if (isAsked) await open();
      else await expect(open).rejects.toThrow(RangeError);
      expect(stub.arrivals()).toBe(isAsked ? 1 : 0);
    },
  );

  test.each([
    [{ max_cost_usd: 0 }, { maxCost: 0 }],
    [{ max_cost_usd: '0.000001' }, { maxCost: 1 }],
    [{ max_cost_usd: -0.000001 }, null],
    [{ max_duration_sec: 1 }, { grantedSeconds: 1 }],
    [{ max_duration_sec: 0.9 }, null],
    [{ max_duration_sec: 61.9 }, { grantedSeconds: 61 }],
    [{ max_duration_sec: 86_400 }, { grantedSeconds: 86_400 }],
    [{ max_duration_sec: 86_401 }, null],
    [{ stream_url: 'ws://stream.example/1' }, null],
    [{ stream_url: 'wss://stream.example/1' }, { id: 'ses_1' }],
    [{ stream_url: 'https://stream.example/1' }, null],
    [{ session_id: '' }, null],
    [{ prompt: 'x'.repeat(10_000) }, { prompt: 'x'.repeat(10_000) }],
    [{ prompt: 'x'.repeat(10_001) }, { prompt: null }],
  ])('that is granted with %o is read as %o', (changes, ticket) => {
    const read = (): SessionTicket => SessionTicket.read({ ...OPENED, ...changes }, { allowInsecure: false });
    if (ticket) expect(read()).toMatchObject(ticket);
    else expect(read).toThrow();
  });

  test.each([
    [8_000, 16, true],
    [7_999, 16, false],
    [192_000, 16, true],
    [192_001, 16, false],
    [48_000, 15, false],
    [48_000, 6 * 48_000, true],
    [48_000, 6 * 48_000 + 1, false],
  ])(
    'whose audio has %i samples a second in chunks of %i is accepted: %s',
    (sample_rate, chunk_frames, isSane) => {
      const format = readVoiceFormat(JSON.stringify({ sample_rate, chunk_frames }));
      expect(format).toEqual(isSane ? { sampleRateHz: sample_rate, chunkFrames: chunk_frames } : undefined);
    },
  );

  test.each([
    // The maximum covers five seconds more than were granted, and is rounded up to a whole micro-dollar.
    [600, '6', 6_050_000],
    [5, '1', 2_000_000],
    [7, '0.000001', 2],
    [300, '0.10', 101_667],
  ])('of %i s for %s USD costs at most %i micro-dollars', (seconds, maxCost, most) => {
    expect(mostOfSession({ seconds, maxCost: parseUsd(maxCost) })).toBe(most);
  });

  test.each([
    ['2', 2_000],
    // The client waits for ten seconds at most, because a member is waiting for it.
    ['10', 10_000],
    ['11', 10_000],
    ['600', 10_000],
  ])('without room and with "Retry-After: %s" is requested again after %i ms', async (value, waitMs) => {
    const full = refuse(429, 'at_capacity', { 'retry-after': value });
    const stub = await useStubApi(full, json(200, OPENED));
    const clock = new FakeClock();
    const patient = { connectMs: 9e6, headersMs: 9e6, totalMs: 9e6 };
    const open = useClient(stub, { clock, limits: patient }).sessions.openVoice({
      minutes: 5,
      voiceId: null,
    });
    await vi.waitFor(() => expect(stub.received).toHaveLength(1));
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(1));
    await clock.advance(waitMs - 1);
    expect(stub.arrivals()).toBe(1);
    await clock.advance(1);
    expect(await open).toMatchObject({ id: 'ses_1' });
  });
});

/** Every call that the client itself repeats after a failure, with the number of attempts. */
const CALLS: readonly (readonly [string, number, (api: MediaApi) => Promise<unknown>])[] = [
  ['read the balance', 3, (api) => api.account.balance()],
  ['read the usage log', 3, (api) => api.account.usage()],
  ['read the usage summary', 3, (api) => api.account.usageSummary()],
  ['read the rate card', 3, (api) => api.pricing.get()],
  ['read the voices', 3, (api) => api.voices.list()],
  ['read a job', 4, (api) => api.jobs.get({ id: 'j', statusUrl: null })],
  [
    'submit a face-swap-image job',
    5,
    (api) => api.jobs.submit({ capability: 'photo_swap', body: '{}', idempotencyKey: 'k' }),
  ],
];

test.each(CALLS)(
  'a failing service receives the request to %s %i times, and the error says what failed',
  async (action, times, call) => {
    const stub = await useStubApi(refuse(500, 'internal_error'));
    await expect(call(useClient(stub))).rejects.toThrow(
      `Cannot ${action}: refused with 500 "internal_error"`,
    );
    expect(stub.arrivals()).toBe(times);
  },
);

test('an upload to a failing service is tried three times', async () => {
  const stub = await useStubApi(refuse(500, 'internal_error'));
  const path = join(await useFolder(), 'a.png');
  await writeFile(path, 'picture');
  const file = { path, sizeBytes: 7, mime: 'image/png', extension: 'png' };
  await expect(useClient(stub).uploads.create(file)).rejects.toThrow('Cannot upload a file');
  expect(stub.arrivals()).toBe(3);
});

test("at most 100 characters of a refusal's code are kept", async () => {
  const api = useClient(await useStubApi(refuse(400, 'c'.repeat(101))));
  await expect(api.account.balance()).rejects.toMatchObject({ code: 'c'.repeat(100) });
});

test.each([
  // The connection error shows that the client tried to connect.
  ['https://result.invalid/o', 'connection_failed'],
  ['http://result.invalid/o', 'link_refused'],
  ['ftp://result.invalid/o', 'link_refused'],
  ['ftp://127.0.0.1/o', 'link_refused'],
  ['https://user@result.invalid/o', 'link_refused'],
  ['https://10.0.0.1/o', 'link_refused'],
  ['https://[::1]/o', 'connection_failed'],
  ['https://127.0.0.1:1/o', 'connection_failed'],
  ['http://127.0.0.1:1/o', 'connection_failed'],
])('a result at %s ends as %s', async (link, code) => {
  const api = useClient(await useStubApi(json(200, {})));
  const toPath = join(await useFolder(), 'result');
  const ended = await api.outputs
    .download(link, { toPath, maxBytes: 10 })
    .catch((error: DownloadError) => error);
  expect(ended).toMatchObject({ code });
});

describe('the hold for a picture', () => {
  const RATE = { rate: micros(50_000), minimum: null, estimatedHold: micros(60_000) } as const;

  test.each([
    ['photo_swap', null, 1, { price: 50_000, hold: 60_000 }],
    ['photo_swap', 'image', 1, { price: 50_000, hold: 60_000 }],
    // The number of pictures is rounded up.
    ['photo_swap', 'image', 0.2, { price: 50_000, hold: 60_000 }],
    ['photo_swap', 'image', 1.2, { price: 100_000, hold: 100_000 }],
    // A length in seconds may be wrong and needs a margin, but the number of pictures is exact.
    ['video_swap', 'second', 1, { price: 50_000, hold: 62_500 }],
    ['video_swap', 'image', 7, { price: 50_000, hold: 60_000 }],
  ] as const)('or a clip: %s per %s, %d of them', (capability, unit, units, expected) => {
    expect(estimate({ ...RATE, unit }, capability, { units, isKnown: true }, 1.25)).toEqual(expected);
  });
});
