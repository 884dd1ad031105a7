import { describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { isMediaApiError } from '../../src/media-api/errors.ts';
import type { MediaApi } from '../../src/media-api/media-api.ts';
import { recordingLogger } from '../helpers/recording-logger.ts';
import { type Reply, type StubApi, drop, json, refuse, text, useClient, useStubApi } from './use-stub-api.ts';

const JOB = { id: 'j1', status: 'queued', output_url: null, charged_usd: null, error: null };
const PROBE_MS = 60_000;
const REFUSED = refuse(401, 'unauthorized');

interface Bench {
  readonly stub: StubApi;
  readonly clock: FakeClock;
  readonly api: MediaApi;
  readonly heard: string[];
  readonly logged: readonly string[];
  readonly key: { now: string };
  /** Submits a job. Returns the result, and whether anything was sent. */
  readonly call: () => Promise<string>;
}

/** Creates a client whose key the service refuses from the start. */
async function useRefusedKey(): Promise<Bench> {
  const stub = await useStubApi(REFUSED);
  const clock = new FakeClock();
  const heard: string[] = [];
  const logged: string[] = [];
  const key = { now: 'old' };
  const api = useClient(stub, {
    clock,
    apiKey: () => key.now,
    logger: recordingLogger(logged),
    limits: { keyProbeMs: PROBE_MS, retryDelayMsFirst: 0, retryDelayMsMax: 0 },
  });
  api.onKey((state) => void heard.push(state));
  const call = async (): Promise<string> => {
    const before = stub.arrivals();
    const asked = api.jobs.submit(
      { capability: 'photo_swap', body: '{}', idempotencyKey: 'k' },
      { returnsForCapacity: true },
    );
    let ended = '';
    void asked.then(
      () => (ended = 'taken'),
      (error: unknown) => (ended = isMediaApiError(error) ? error.code : String(error)),
    );
    // Between its attempts, the client waits for the clock.
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(ended).not.toBe('');
    });
    return stub.arrivals() > before ? ended : `${ended}, not asked`;
  };
  expect(await call()).toBe('unauthorized');
  return { stub, clock, api, heard, logged, key, call };
}

describe('after a refused key', () => {
  test('one probe is sent per interval, not a moment earlier', async () => {
    const { clock, call } = await useRefusedKey();
    for (let round = 0; round < 3; round++) {
      await clock.advance(PROBE_MS - 1);
      expect(await call()).toBe('unauthorized, not asked');
      await clock.advance(1);
      expect(await call()).toBe('unauthorized');
      expect(await call()).toBe('unauthorized, not asked');
    }
  });

  test('one of the calls that wait for the interval is the probe, and the others do not wait for it', async () => {
    const { stub, clock, api } = await useRefusedKey();
    const answered = Promise.withResolvers<undefined>();
    stub.script(async (request, response, read) => {
      await answered.promise;
      return json(200, JOB)(request, response, read);
    });
    await clock.advance(PROBE_MS);
    const before = stub.arrivals();
    const calls = Array.from({ length: 5 }, () => api.jobs.get({ id: 'j1', statusUrl: null }));
    const ends = await Promise.allSettled(calls.slice(1));
    await vi.waitFor(() => expect(stub.arrivals()).toBe(before + 1));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    answered.resolve(undefined);
    expect(await calls[0]).toMatchObject({ id: 'j1' });
    expect(stub.arrivals()).toBe(before + 1);
  });

  test('a call does not wait for the rate limit if it would then be refused', async () => {
    const stub = await useStubApi(REFUSED);
    const api = useClient(stub, { clock: new FakeClock(), requestsPerMinute: 1 });
    for (let call = 0; call < 3; call++) {
      await expect(api.account.balance()).rejects.toMatchObject({ status: 401, local: call > 0 });
    }
    expect(stub.arrivals()).toBe(1);
  });

  const ANSWERS: readonly (readonly [string, Reply, 'works' | 'refused'])[] = [
    ['200', json(200, { id: 'j1', status: 'queued', status_url: '/api/v1/jobs/j1' }), 'works'],
    ['400', refuse(400, 'invalid_input'), 'works'],
    ['402', refuse(402, 'insufficient_balance'), 'works'],
    ['403', text(403, 'no'), 'works'],
    ['404', refuse(404, 'not_found'), 'works'],
    ['429', refuse(429, 'at_capacity'), 'works'],
    // A proxy may send these answers before the key is checked.
    ['500', refuse(500, 'internal_error'), 'refused'],
    ['502', text(502, '<html>'), 'refused'],
    ['503', refuse(503, 'brand_new'), 'refused'],
    ['nothing', drop, 'refused'],
    ['401', REFUSED, 'refused'],
  ];

  test.each(ANSWERS)(
    'a probe that is answered with %s shows whether the key works',
    async (_what, reply, state) => {
      const { stub, clock, heard, logged, call } = await useRefusedKey();
      await clock.advance(PROBE_MS);
      stub.script(reply);
      await call();
      stub.script(json(200, { id: 'j1', status: 'queued', status_url: '/api/v1/jobs/j1' }));

      expect(await call()).toBe(state === 'works' ? 'taken' : 'unauthorized, not asked');
      expect(heard).toEqual(state === 'works' ? ['refused', 'accepted'] : ['refused']);
      expect(logged.filter((line) => line.includes('refuses the API key'))).toHaveLength(1);
    },
  );

  test('another key is used at once, and the operator is notified of each outage and of its end', async () => {
    const { stub, clock, heard, key, call } = await useRefusedKey();
    key.now = 'new';
    expect(await call()).toBe('unauthorized');
    expect(await call()).toBe('unauthorized, not asked');
    expect(heard).toEqual(['refused', 'refused']);
    stub.script(json(200, { id: 'j1', status: 'queued', status_url: '/api/v1/jobs/j1' }));
    await clock.advance(PROBE_MS);
    expect([await call(), await call()]).toEqual(['taken', 'taken']);
    expect(heard).toEqual(['refused', 'refused', 'accepted']);
  });
});
