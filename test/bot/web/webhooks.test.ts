import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { type WireNote, watchWire } from '../../../src/base/wire-note.ts';
import { findJob } from '../../../db/queries/jobs.ts';
import { aJob } from '../../db/a-job.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { SECRET, TOKEN, type Web, deliveryBody, signedHeaders, useWeb } from './use-web.ts';

async function post(
  web: Web,
  body: Buffer,
  headers: Record<string, string>,
): Promise<LightMyRequestResponse> {
  return web.app.inject({ method: 'POST', url: `/webhooks/${TOKEN}`, payload: body, headers });
}

async function stored(web: Web): Promise<number> {
  const rows = await web.db.kysely.selectFrom('webhook_deliveries').select('delivery_id').execute();
  return rows.length;
}

const seconds = (web: Web): number => Math.floor(web.clock.now() / 1000);

describe('webhook route', () => {
  test('is recorded with the interaction that made the job, or with none', async () => {
    const web = await useWeb();
    const notes: WireNote[] = [];
    using watched = watchWire((note) => notes.push(note));
    expect(watched).toBeDefined();
    const body = deliveryBody();
    const headers = signedHeaders(body, seconds(web));

    await post(web, body, headers);
    await post(web, body, { ...headers, 'service-signature': 't=1,v1=CANARY' });
    const other = { method: 'POST', url: '/webhooks/cb_nobodys_path', payload: body, headers } as const;
    await web.app.inject(other);

    const { interaction_id: useId } = aJob('known');
    expect(notes.map((note) => [note.status, note.useId])).toEqual([
      ['verified', useId],
      ['refused', null],
      ['verified', null],
    ]);
    expect(JSON.stringify(notes)).not.toMatch(/CANARY|cb_|srv_1|dlv_1|sig=/);
  });

  test('stores a valid delivery, wakes its job and answers 2xx', async () => {
    const web = await useWeb();
    const body = deliveryBody();

    const answer = await post(web, body, signedHeaders(body, seconds(web)));

    expect(answer.statusCode).toBe(200);
    expect(await stored(web)).toBe(1);
    expect(web.nudges()).toBe(1);
    expect((await findJob(web.db.kysely, 'job_known'))?.due_at_ms).toBe(web.clock.now());
  });

  test('wakes a job whose submit is not answered yet', async () => {
    const web = await useWeb();
    await web.db.kysely.updateTable('jobs').set({ stage: 'submitting', service_job_id: null }).execute();
    const body = deliveryBody();

    await post(web, body, signedHeaders(body, seconds(web)));

    expect((await findJob(web.db.kysely, 'job_known'))?.due_at_ms).toBe(web.clock.now());
  });

  test('stores only the id of a delivery that reports a known end, because its body contains a signed link', async () => {
    const web = await useWeb();
    await web.db.kysely.updateTable('jobs').set({ stage: 'settled' }).execute();
    const body = deliveryBody();

    const answer = await post(web, body, signedHeaders(body, seconds(web)));

    expect(answer.json()).toEqual({ status: 'stored' });
    const rows = await web.db.kysely.selectFrom('webhook_deliveries').selectAll().execute();
    expect(rows).toMatchObject([{ processed_at_ms: web.clock.now() }]);
    expect(rows[0]?.body).toHaveLength(0);
  });

  test('answers a repeated delivery with 2xx and does nothing else, also for 50 at once', async () => {
    const web = await useWeb();
    const body = deliveryBody();
    const headers = signedHeaders(body, seconds(web));

    const answers = await Promise.all(Array.from({ length: 50 }, () => post(web, body, headers)));

    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([200]));
    expect(await stored(web)).toBe(1);
    expect(web.nudges()).toBe(1);
  });

  test('accepts any of several signatures and secrets', async () => {
    const web = await useWeb({ secrets: ['whsec_old', SECRET] });
    const body = deliveryBody();
    const t = seconds(web);
    const right = signedHeaders(body, t)['service-signature']?.split(',v1=')[1];
    const headers = {
      ...signedHeaders(body, t),
      'service-signature': `t=${t},v1=${'0'.repeat(64)},v1=${right}`,
    };

    expect((await post(web, body, headers)).statusCode).toBe(200);
  });

  test.each([
    [
      'the wrong secret',
      (body: Buffer, t: number) => ({ body, headers: signedHeaders(body, t, 'whsec_other') }),
    ],
    [
      'one wrong byte in the body',
      (body: Buffer, t: number) => {
        const headers = signedHeaders(body, t);
        const changed = Buffer.from(body);
        changed[10] = 0x41;
        return { body: changed, headers };
      },
    ],
    ['a time 301 s ago', (body: Buffer, t: number) => ({ body, headers: signedHeaders(body, t - 301) })],
    ['a time in 301 s', (body: Buffer, t: number) => ({ body, headers: signedHeaders(body, t + 301) })],
    [
      'no signature',
      (body: Buffer) => ({ body, headers: { 'content-type': 'application/json' } as Record<string, string> }),
    ],
    [
      'the time twice in the header',
      (body: Buffer, t: number) => ({
        body,
        headers: {
          ...signedHeaders(body, t),
          'service-signature': `t=${t},${signedHeaders(body, t)['service-signature']}`,
        },
      }),
    ],
  ])('refuses %s and stores nothing', async (_name, make) => {
    const web = await useWeb();
    const { body, headers } = make(deliveryBody(), seconds(web));

    const answer = await post(web, body, headers);

    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toEqual({ error: { code: 'refused', message: 'The webhook was not accepted' } });
    expect(await stored(web)).toBe(0);
  });

  test('logs a flood of forged deliveries as one line a minute for each reason', async () => {
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const body = deliveryBody();
    const forged = signedHeaders(body, seconds(web), 'whsec_other');

    await Promise.all(Array.from({ length: 200 }, () => post(web, body, forged)));
    await Promise.all(Array.from({ length: 50 }, () => post(web, body, {})));
    await web.clock.advance(60_000);

    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/mismatch.*count: 1 /),
      expect.stringMatching(/mismatch.*count: 199 /),
      expect.stringMatching(/missing_header.*count: 1 /),
      expect.stringMatching(/missing_header.*count: 49 /),
    ]);
  });

  test.each([-300, -299, 299, 300])('accepts a time %i s from now', async (offset) => {
    const web = await useWeb();
    const body = deliveryBody();

    expect((await post(web, body, signedHeaders(body, seconds(web) + offset))).statusCode).toBe(200);
  });

  test('refuses a duplicated signature header', async () => {
    const web = await useWeb();
    const url = await web.app.listen({ host: '127.0.0.1', port: 0 });
    const body = deliveryBody();
    const { 'service-signature': signature = '', ...rest } = signedHeaders(body, seconds(web));

    const headers = new Headers(rest);
    headers.append('service-signature', signature);
    headers.append('service-signature', signature);
    const answer = await fetch(`${url}/webhooks/${TOKEN}`, { method: 'POST', body, headers });

    expect(answer.status).toBe(401);
    expect(await stored(web)).toBe(0);
  });

  test('stores a delivery that arrives before the answer to the submit until its job is known', async () => {
    const web = await useWeb();
    await web.db.kysely.updateTable('jobs').set({ service_job_id: null, stage: 'submitting' }).execute();
    const body = deliveryBody();

    expect((await post(web, body, signedHeaders(body, seconds(web)))).statusCode).toBe(200);
    await web.db.kysely.updateTable('jobs').set({ service_job_id: 'srv_1', stage: 'submitted' }).execute();
    const job = await findJob(web.db.kysely, 'job_known');

    expect(job && (await web.inbox.findReportedEnd(job))).toMatchObject({ id: 'srv_1', status: 'succeeded' });
  });

  test('stores a delivery for an unknown job, and wakes no job', async () => {
    const web = await useWeb();
    const body = deliveryBody('srv_unknown');

    expect((await post(web, body, signedHeaders(body, seconds(web)))).statusCode).toBe(200);
    const job = await findJob(web.db.kysely, 'job_known');
    expect(job?.due_at_ms).toBeGreaterThan(web.clock.now());
    expect(job && (await web.inbox.findReportedEnd(job))).toBeUndefined();
  });

  test('checks a job once after an authentic but stale delivery', async () => {
    const web = await useWeb();
    const body = deliveryBody();
    const headers = signedHeaders(body, seconds(web) - 3_600);

    for (let time = 0; time < 5; time++) expect((await post(web, body, headers)).statusCode).toBe(401);

    expect((await findJob(web.db.kysely, 'job_known'))?.due_at_ms).toBe(web.clock.now());
    expect(web.nudges()).toBe(1);
  });

  test('rejects a body of a megabyte', async () => {
    const web = await useWeb();
    const body = deliveryBody('srv_1', 'dlv_1', 'x'.repeat(1024 * 1024));

    const answer = await post(web, body, signedHeaders(body, seconds(web)));

    expect(answer.statusCode).toBe(413);
    expect(await stored(web)).toBe(0);
  });

  test('answers 5xx if it cannot store the delivery, so that the sender repeats it', async () => {
    const web = await useWeb();
    const body = deliveryBody();
    await web.db[Symbol.asyncDispose]();

    const answer = await post(web, body, signedHeaders(body, seconds(web)));

    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ error: { code: 'unavailable' } });
  });
});

describe('health', () => {
  test('is alive while a part is not ready, and names the part', async () => {
    const web = await useWeb();

    expect((await web.app.inject('/healthz')).statusCode).toBe(200);
    const ready = await web.app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({ status: 'not_ready', parts: { database: true, discord: false } });
  });
});
