import { describe, expect, test } from 'vitest';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { type Reply, drop, json, refuse } from '../../../media-api/use-stub-api.ts';
import { type Pipeline, jobState, usePipeline } from '../use-pipeline.ts';
import type { IntakeOutcome } from '../../../../src/bot/jobs/intake/intake-outcome.ts';

const submits = ({ received }: Pipeline): string[] =>
  received
    .filter(({ url }) => url.endsWith('/face-swap-image'))
    .map(({ headers }) => String(headers['idempotency-key']));

test.each([
  ['at_capacity', 429],
  ['capacity_unavailable', 502],
  ['capability_unavailable', 502],
  ['capacity_warming', 502],
] as const)('%s (%i) is waited out under the same key, while polls go on', async (code, status) => {
  const pipeline = await usePipeline();
  pipeline.script.job = [jobState({ status: 'processing', output_url: null, charged_usd: null })];
  const polled = await pipeline.run('polled');
  await pipeline.until(polled, 'submitted');
  const full = refuse(status, code);
  const accepted = json(200, { id: 'srv_2', status: 'queued', status_url: '/api/v1/jobs/srv_2' });
  pipeline.script.submit = [full, full, full, accepted];
  const polls = pipeline.asked.job;

  const jobId = await pipeline.run('waits');
  await pipeline.until(jobId, 'submitted', 2_000);

  const [, ...tries] = submits(pipeline);
  expect(tries).toHaveLength(4);
  expect(new Set(tries).size).toBe(1);
  expect(pipeline.asked.job).toBeGreaterThan(polls);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'pending' });
});

test('a job that never found capacity releases its hold, because nothing was started', async () => {
  const pipeline = await usePipeline();
  pipeline.script.submit = [refuse(502, 'capacity_unavailable')];

  const jobId = await pipeline.run();
  await pipeline.until(jobId, 'settled', 3_600_000);

  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  expect(pipeline.publisher.cards).toEqual([expect.objectContaining({ kind: 'failure', charged: 0 })]);
});

test('a job that waited long in line handles later errors like any other: it neither ends nor is left for review', async () => {
  const pipeline = await usePipeline();
  const full = refuse(429, 'at_capacity');
  const taken = json(200, { id: 'srv_1', status: 'queued', status_url: '/api/v1/jobs/srv_1' });
  const lost = Array.from({ length: 8 }, () => drop);
  pipeline.script.submit = [...Array.from({ length: 8 }, () => full), ...lost, taken];

  const jobId = await pipeline.run();
  const row = await pipeline.until(jobId, 'settled', 400_000);

  expect(pipeline.asked.submit).toBe(17);
  expect(row).toMatchObject({ outcome: 'succeeded' });
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted' });
});

test('a service that accepts three jobs at a time soon gets no more than that, and all jobs get their turn', async () => {
  const pipeline = await usePipeline({ limits: { openPerGuildMax: 60, openPerMemberMax: 60 } });
  const looks = new Map<string, number>();
  const tries = { refused: 0, refusedLate: 0, accepted: 0 };
  let atOnce = 0;
  const submit: Reply = async (request, response, read) => {
    if (atOnce >= 3) {
      tries.refused += 1;
      if (tries.accepted >= 10) tries.refusedLate += 1;
      return refuse(429, 'at_capacity')(request, response, read);
    }
    const id = `srv_${(tries.accepted += 1)}`;
    atOnce += 1;
    looks.set(id, 0);
    return json(200, { id, status: 'queued', status_url: `/api/v1/jobs/${id}` })(request, response, read);
  };
  const job: Reply = (request, response, read) => {
    const id = request.url?.split('/').at(-1) ?? '';
    const seen = (looks.get(id) ?? 0) + 1;
    looks.set(id, seen);
    if (seen === 2) atOnce -= 1;
    const state = seen < 2 ? { status: 'processing', output_url: null, charged_usd: null } : {};
    return jobState({ id, ...state })(request, response, read);
  };
  pipeline.script.submit = [submit];
  pipeline.script.job = [job];

  const names = Array.from({ length: 40 }, (_, index) => String(index));
  const jobIds = await Promise.all(names.map((name) => pipeline.run(name)));
  for (const jobId of jobIds) await pipeline.until(jobId, 'settled', 500);

  expect(tries.accepted).toBe(40);
  // The ceiling is not known at first, so eight submissions may be in progress at the same time.
  expect(tries.refused).toBeLessThanOrEqual(8 + 4);
  expect(tries.refusedLate).toBeLessThanOrEqual(3);
});

describe('a member who opens many jobs in servers of their own', () => {
  const take = ({ jobs }: Pipeline, userId: string, guildId: string, name: string): Promise<IntakeOutcome> =>
    jobs.intake.accept({
      ...anOrigin({ interactionId: `${userId}_${guildId}_${name}`, userId, guildId }),
      capability: 'photo_swap',
      parameters: {},
      inputs: [],
    });
  const BUSY = { accepted: false, refusal: { reason: 'busy' } };

  test('is refused beyond the limit for one member, while others go on', async () => {
    const pipeline = await usePipeline({ start: false, limits: { openPerMemberMax: 3 } });
    for (const guild of ['11', '12', '13']) await take(pipeline, '666', guild, 'a');

    expect(await take(pipeline, '666', '14', 'a')).toEqual(BUSY);
    expect(await take(pipeline, '7', '14', 'a')).toMatchObject({ accepted: true });
  });

  test('leaves room for servers that have few jobs, however many members help', async () => {
    const pipeline = await usePipeline({ start: false, limits: { openMax: 20 } });
    for (let n = 0; n < 16; n++) await take(pipeline, String(100 + n), '11', 'a');

    expect(await take(pipeline, '200', '11', 'a')).toEqual(BUSY);
    for (let n = 0; n < 4; n++) {
      expect(await take(pipeline, '201', String(20 + n), 'a')).toMatchObject({ accepted: true });
    }
    expect(await take(pipeline, '202', '30', 'a')).toEqual(BUSY);
  });

  test('excludes nobody through jobs that wait for a yes to their price', async () => {
    const pipeline = await usePipeline({ start: false, limits: { openMax: 5 } });
    for (let n = 0; n < 4; n++) await take(pipeline, String(100 + n), '11', 'a');
    await pipeline.db.kysely.updateTable('jobs').set({ stage: 'fetched', asked_at_ms: 1 }).execute();

    for (let n = 0; n < 5; n++) {
      expect(await take(pipeline, '7', String(20 + n), 'a')).toMatchObject({ accepted: true });
    }
  });
});

test('more jobs than may be open are refused before anything is held', async () => {
  const pipeline = await usePipeline({ start: false, limits: { openPerGuildMax: 5 } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await pipeline.accept(name);

  await expect(pipeline.accept('f')).rejects.toThrow('busy');

  const holds = await pipeline.db.kysely.selectFrom('holds').select('subject').execute();
  expect(holds).toHaveLength(5);
});
