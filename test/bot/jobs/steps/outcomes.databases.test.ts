import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FailureCard, FinalCard } from '../../../../src/bot/jobs/cards.ts';
import { type Reply, drop, json, refuse, text } from '../../../media-api/use-stub-api.ts';
import { bytes, jobState, usePipeline } from '../use-pipeline.ts';

const NO_LINK = jobState({ output_url: null });
const QUEUED = { id: 'srv_1', status: 'queued', status_url: '/api/v1/jobs/srv_1' };
const MINUTE_MS = 60_000;

function failureOf(card: FinalCard | undefined): FailureCard {
  if (card?.kind !== 'failure') throw new Error('The card is not a failure');
  return card;
}

function failed(code: string | null): Reply {
  const error = code === null ? null : { code, message: 'words' };
  return jobState({ status: 'failed', output_url: null, charged_usd: 0, error });
}

describe('temporary trouble costs only time', () => {
  const troubles: [string, Parameters<typeof usePipeline>[0], Partial<Record<string, Reply[]>>][] = [
    ['the upload fails once', {}, { upload: [refuse(500, 'internal_error')] }],
    ['the upload ends without an answer', {}, { upload: [drop] }],
    ['the service has no capacity for the submit once', {}, { submit: [refuse(429, 'at_capacity')] }],
    ['the submit fails once', {}, { submit: [refuse(500, 'internal_error')] }],
    ['the submit reaches a proxy whose server is down', {}, { submit: [text(502, '<html>')] }],
    ['the answer of the submit is lost', {}, { submit: [drop] }],
    ['the submit is answered without an id', {}, { submit: [json(200, {})] }],
    ['the job is in an unknown state first', {}, { job: [jobState({ status: 'paused' })] }],
    ['the job is unknown at the first poll', {}, { job: [refuse(404, 'not_found')] }],
    ['a poll fails', {}, { job: [refuse(500, 'internal_error'), text(200, 'cut')] }],
    ['the link is missing at first', {}, { job: [NO_LINK, NO_LINK] }],
    ['the charge is missing at first', {}, { job: [jobState({ charged_usd: null })] }],
    ['the first link is dead', {}, { output: [text(403, 'expired')] }],
    ['the first download is empty', {}, { output: [bytes(200, new Uint8Array())] }],
    ['the first download is not a picture', {}, { output: [text(200, '<html>')] }],
  ];

  test.each(troubles)('when %s', async (_what, options, first) => {
    const pipeline = await usePipeline(options);
    for (const route of ['upload', 'submit', 'job', 'output'] as const) {
      pipeline.script[route].unshift(...(first[route] ?? []));
    }

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled');

    expect(pipeline.publisher.cards).toEqual([expect.objectContaining({ kind: 'result', charged: 40_000 })]);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
  });
});

describe('a final refusal releases the hold and says why', () => {
  const refusals: [string, 'upload' | 'submit', Reply, string][] = [
    ['an upload in an unknown format', 'upload', refuse(400, 'unsupported_format'), 'unsupported_format'],
    ['an upload with a revoked key', 'upload', refuse(401, 'unauthorized'), 'unauthorized'],
    ['a submit without balance', 'submit', refuse(402, 'insufficient_balance'), 'insufficient_balance'],
    [
      'a submit for a disabled capability',
      'submit',
      refuse(400, 'capability_unavailable'),
      'capability_unavailable',
    ],
    ['a submit with a revoked key', 'submit', refuse(401, 'unauthorized'), 'unauthorized'],
    ['a submit that a proxy refuses', 'submit', text(403, 'no'), 'http_403'],
  ];

  test.each(refusals)('%s', async (_what, route, reply, code) => {
    const pipeline = await usePipeline();
    pipeline.script[route] = [reply];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    const card = failureOf(pipeline.publisher.cards[0]);
    expect(card).toMatchObject({ failure: { reason: 'service_refused', code }, charged: 0 });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(pipeline.asked.job).toBe(0);
  });

  test('is logged for the operator', async () => {
    const pipeline = await usePipeline();
    pipeline.script.submit = [refuse(402, 'insufficient_balance')];

    await pipeline.until(await pipeline.run(), 'settled');

    expect(pipeline.logged.join('\n')).toContain('insufficient_balance');
  });
});

describe('a job that failed at the service', () => {
  test.each(['face_not_detected', 'content_rejected', 'processing_failed', 'brand_new', null])(
    'with %s releases the hold',
    async (code) => {
      const pipeline = await usePipeline();
      pipeline.script.job = [failed(code)];

      const jobId = await pipeline.run();
      await pipeline.until(jobId, 'settled');

      const failure = { reason: 'job', code: code ?? 'unknown' };
      expect(pipeline.publisher.cards).toEqual([expect.objectContaining({ failure, charged: 0 })]);
      expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
    },
  );

  test('but was charged nevertheless is booked, and logged for the operator', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ status: 'failed', output_url: null, charged_usd: 0.04 })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled');

    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
    expect(pipeline.logged.join('\n')).toContain('charged for a failed job');
  });

  test('does not wait for its charge longer than the limit: a failed job costs nothing', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ status: 'failed', output_url: null, charged_usd: null })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', MINUTE_MS);

    expect(failureOf(pipeline.publisher.cards[0]).charged).toBe(0);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  });
});

describe('a submit that is not confirmed in time', () => {
  test('releases the hold if the service never had room', async () => {
    const pipeline = await usePipeline();
    pipeline.script.submit = [refuse(429, 'at_capacity')];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    const card = failureOf(pipeline.publisher.cards[0]);
    expect(card.failure).toEqual({ reason: 'service_refused', code: 'at_capacity' });
    expect(card.charged).toBe(0);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  });

  test.each([
    ['no answer came', [drop]],
    [
      'one answer was lost before the service had no room',
      [drop, drop, drop, drop, drop, refuse(429, 'at_capacity')],
    ],
    [
      'one answer was lost before the key was refused',
      [drop, drop, drop, drop, drop, refuse(401, 'unauthorized')],
    ],
    ['one answer was lost before a proxy refused', [drop, drop, drop, drop, drop, text(404, 'no')]],
  ])('keeps the hold for review when %s', async (_what, replies) => {
    const pipeline = await usePipeline();
    pipeline.script.submit = [...replies];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    expect(failureOf(pipeline.publisher.cards[0]).failure).toEqual({ reason: 'unconfirmed' });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'review' });
  });

  test('keeps the hold for review when the service answers with the job of another member', async () => {
    const pipeline = await usePipeline();
    const first = await pipeline.run('first');
    await pipeline.until(first, 'settled');

    const jobId = await pipeline.run('second');
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    expect(await pipeline.row(jobId)).toMatchObject({ outcome: 'unknown', service_job_id: null });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'review' });
  });

  test('releases the hold when the key is refused at a second attempt and the first never reached the service', async () => {
    const pipeline = await usePipeline();
    const full = Array.from({ length: 5 }, () => refuse(429, 'at_capacity'));
    pipeline.script.submit = [...full, refuse(401, 'unauthorized')];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  });
});

describe('a job that the service does not know', () => {
  test('continues after one 404, however old it is', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ status: 'processing' })];
    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'submitted');
    await pipeline.later(20 * MINUTE_MS);
    pipeline.script.job = [refuse(404, 'not_found'), jobState()];

    await pipeline.until(jobId, 'settled');

    expect(pipeline.publisher.cards[0]?.kind).toBe('result');
  });

  test('is set aside for review when that does not pass', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [refuse(404, 'not_found')];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', MINUTE_MS);

    expect(failureOf(pipeline.publisher.cards[0]).failure).toEqual({ reason: 'unconfirmed' });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'review' });
  });
});

describe('the end of a job', () => {
  test('stays what it was when the service later reports another one', async () => {
    const pipeline = await usePipeline();
    const end = jobState({ status: 'failed', output_url: null, charged_usd: null });
    pipeline.script.job = [end, jobState()];

    const jobId = await pipeline.run();
    const job = await pipeline.until(jobId, 'settled');

    expect(job).toMatchObject({ outcome: 'failed', charged_micros: 40_000 });
    expect(pipeline.publisher.cards).toHaveLength(1);
    expect(failureOf(pipeline.publisher.cards[0]).charged).toBe(40_000);
  });

  test('is reached at once when the submit is answered with a job that has ended', async () => {
    const pipeline = await usePipeline({ limits: { pollMsFirst: 3_600_000, pollMsMax: 3_600_000 } });
    pipeline.script.submit = [json(200, { ...QUEUED, status: 'succeeded' })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 0);

    expect(pipeline.asked.job).toBe(1);
  });

  test('with a charge above the hold is booked in full, with the excess as overrun', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ charged_usd: 0.25 })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled');

    const hold = await pipeline.hold(jobId);
    expect(hold).toMatchObject({ state: 'posted', amount_micros: 100_000, charged_micros: 250_000 });
    expect(hold.overrun_micros).toBe(150_000);
  });

  test('with a charge that stays open is delivered, and booked when the charge is known', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ charged_usd: null })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'posted', MINUTE_MS);
    expect(pipeline.publisher.cards).toEqual([expect.objectContaining({ kind: 'result', charged: null })]);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'pending' });

    pipeline.script.job = [jobState()];
    await pipeline.until(jobId, 'settled', MINUTE_MS);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
  });

  test('with a charge that is never reported is set aside for review in the end', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ charged_usd: null })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 120 * MINUTE_MS);

    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'review' });
  });
});

describe('collecting the result', () => {
  test('is attempted however long the bot was not running since the job ended', async () => {
    const pipeline = await usePipeline();
    const dead = text(403, 'expired');
    pipeline.script.job = [jobState({ charged_usd: null })];
    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'finished');
    await pipeline.later(5 * MINUTE_MS);
    pipeline.clock.shift(180 * MINUTE_MS);
    pipeline.script.job = [jobState()];
    pipeline.script.output.unshift(dead);

    await pipeline.until(jobId, 'settled');

    expect(pipeline.publisher.cards[0]?.kind).toBe('result');
  });

  test('ends after its time limit with the charge shown', async () => {
    const pipeline = await usePipeline();
    pipeline.script.output = [text(404, 'gone')];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

    const card = failureOf(pipeline.publisher.cards[0]);
    expect(card).toMatchObject({ failure: { reason: 'result_lost' }, charged: 40_000 });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted' });
  });

  test.each(['not a picture, and given up', 'cancelled'])(
    'leaves no file of a result that is %s',
    async (why) => {
      const pipeline = await usePipeline();
      pipeline.script.output = [bytes(200, Buffer.from('no picture'))];
      const jobId = await pipeline.run();
      await expect.poll(() => readdir(join(pipeline.dataDir, 'results'))).toHaveLength(1);
      if (why === 'cancelled') {
        await pipeline.db.kysely.updateTable('jobs').set({ taken_back: 'cancelled' }).execute();
      }

      await pipeline.until(jobId, 'settled', 10 * MINUTE_MS);

      expect(await readdir(join(pipeline.dataDir, 'results'))).toEqual([]);
    },
  );

  test('is not repeated for a result that is too large', async () => {
    const pipeline = await usePipeline({ limits: { resultBytesMax: 10 } });

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled');

    expect(pipeline.asked.output).toBe(1);
    expect(failureOf(pipeline.publisher.cards[0]).failure).toEqual({ reason: 'result_lost' });
  });
});

describe('posting', () => {
  test('is repeated while the chat cannot be reached, and ends after a day', async () => {
    const pipeline = await usePipeline();
    pipeline.publisher.answers = [() => Promise.reject(new Error('The chat is away'))];

    const jobId = await pipeline.run();
    const job = await pipeline.until(jobId, 'settled', 20 * MINUTE_MS);

    expect(pipeline.publisher.cards.length).toBeGreaterThan(4);
    expect(job.result_message_id).toBeNull();
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted' });
  });

  test('says on the card that the kept result is gone', async () => {
    const pipeline = await usePipeline();
    pipeline.publisher.answers.unshift(() => Promise.reject(new Error('The chat is away')));
    const jobId = await pipeline.run();
    const { result_path: path } = await pipeline.until(jobId, 'collected', 0);
    await rm(path ?? '');

    await pipeline.until(jobId, 'settled');

    const card = failureOf(pipeline.publisher.cards.at(-1));
    expect(card).toMatchObject({ failure: { reason: 'result_lost' }, charged: 40_000 });
  });

  test('ends the job and keeps the result when the chat refuses the card for good', async () => {
    const pipeline = await usePipeline();
    const refused = { outcome: 'undeliverable', reason: 'channel_gone' } as const;
    pipeline.publisher.answers = [() => Promise.resolve(refused)];

    const job = await pipeline.until(await pipeline.run(), 'settled');

    expect(pipeline.publisher.cards).toHaveLength(1);
    expect((await stat(job.result_path ?? '')).size).toBe(job.result_bytes);
  });
});
