import { expect, test } from 'vitest';
import { gate } from '../../discord/use-bot.ts';
import { json } from '../../../media-api/use-stub-api.ts';
import { jobState, usePipeline } from '../use-pipeline.ts';

const POSTED = { outcome: 'posted', messageId: '1' } as const;

test('a chat that does not answer delays no upload, submit or download', async () => {
  const pipeline = await usePipeline({ limits: { stepsAtOnce: 1 } });
  const answered = gate();
  pipeline.publisher.answers.unshift(() => answered.promise.then(() => POSTED));
  const stuck = await pipeline.run('stuck');
  await expect.poll(() => pipeline.publisher.cards.length, { interval: 10, timeout: 20_000 }).toBe(1);

  pipeline.script.submit = [json(200, { id: 'srv_2', status: 'queued', status_url: '/api/v1/jobs/srv_2' })];
  const other = await pipeline.run('other');

  await pipeline.until(other, 'collected');
  answered.resolve();
  await pipeline.until(stuck, 'settled');
  await pipeline.until(other, 'settled');
});

test('a guild whose results are not taken leaves a place for other guilds', async () => {
  const pipeline = await usePipeline({ limits: { stepsAtOnce: 2 } });
  const answered = gate();
  pipeline.publisher.answers = [() => answered.promise.then(() => POSTED)];
  const jobs: string[] = [];
  for (const [name, guildId] of [
    ['one', '3'],
    ['two', '3'],
    ['other', '4'],
  ] as const) {
    const id = `srv_${name}`;
    pipeline.script.submit = [json(200, { id, status: 'queued', status_url: `/api/v1/jobs/${id}` })];
    pipeline.script.job = [jobState({ id })];
    const jobId = await pipeline.run(name, { guildId });
    await pipeline.until(jobId, 'collected');
    jobs.push(jobId);
  }
  const isPosting = async (jobId: string): Promise<boolean> =>
    (await pipeline.row(jobId)).lease_owner !== null;

  await expect.poll(() => isPosting(jobs[2] ?? '')).toBe(true);
  expect(await Promise.all(jobs.map(isPosting))).toEqual([true, false, true]);

  answered.resolve();
  for (const jobId of jobs) await pipeline.until(jobId, 'settled');
});

test('files that do not arrive delay no result', async () => {
  const pipeline = await usePipeline({ limits: { stepsAtOnce: 1 } });
  const held = gate();
  pipeline.script.upload.unshift(async (request, response, read) => {
    await held.promise;
    response.destroy();
    await read().catch(() => request.destroy());
  });
  const ahead = await pipeline.run('ahead');
  await expect.poll(() => pipeline.asked.upload, { interval: 10, timeout: 20_000 }).toBe(1);
  await pipeline.db.kysely
    .updateTable('jobs')
    .set({
      stage: 'submitted',
      service_job_id: 'srv_2',
      lease_owner: null,
      lease_until_ms: null,
      due_at_ms: 0,
    })
    .where('id', '=', await pipeline.run('done'))
    .execute();

  await expect.poll(() => pipeline.publisher.cards.length, { interval: 10, timeout: 20_000 }).toBe(1);

  held.resolve();
  await pipeline.until(ahead, 'settled');
});

test('a step whose job was taken over is aborted and records nothing', async () => {
  const pipeline = await usePipeline({ limits: { leaseMs: 300 } });
  const stopped = gate();
  pipeline.publisher.onPublish = (signal) => signal.addEventListener('abort', stopped.resolve);
  pipeline.publisher.answers.unshift(() => new Promise(() => undefined));
  const jobId = await pipeline.run();
  await expect.poll(() => pipeline.publisher.cards.length, { interval: 10, timeout: 20_000 }).toBe(1);

  await pipeline.db.kysely
    .updateTable('jobs')
    .set((eb) => ({ fence: eb('fence', '+', 1), lease_owner: 'another', due_at_ms: Number.MAX_SAFE_INTEGER }))
    .execute();
  await stopped.promise;

  await expect.poll(() => pipeline.logged.join('\n'), { interval: 10 }).toContain('A lease was lost');
  expect(await pipeline.row(jobId)).toMatchObject({ stage: 'collected', lease_owner: 'another' });
});

test('nothing is worked on before the start, and nothing after the end', async () => {
  const pipeline = await usePipeline({ start: false });
  const jobId = await pipeline.run();
  await pipeline.later(60_000);
  expect(await pipeline.row(jobId)).toMatchObject({ stage: 'accepted', attempts: 0 });

  await pipeline.jobs.start();
  await pipeline.until(jobId, 'settled');

  await pipeline.jobs[Symbol.asyncDispose]();
  const late = await pipeline.run('late');
  await pipeline.later(60_000);
  expect(await pipeline.row(late)).toMatchObject({ stage: 'accepted', attempts: 0 });
});

test('starts without waiting long for a service that does not answer', async () => {
  const pipeline = await usePipeline({ start: false });
  pipeline.script.pricing = [() => undefined];

  const startedAtMs = performance.now();
  await pipeline.jobs.start();

  expect(performance.now() - startedAtMs).toBeLessThan(4_000);
  expect(pipeline.jobs.ratesKnown).toBe(false);
});
