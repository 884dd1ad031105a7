import { expect, test } from 'vitest';
import { usePipeline } from '../use-pipeline.ts';

test('a job can be abandoned as long as the reply may take, and leaves no token, link or hold', async () => {
  const pipeline = await usePipeline();
  const jobId = await pipeline.accept();
  await pipeline.later(11_000);

  await pipeline.jobs.intake.abandon(jobId);

  expect(await pipeline.row(jobId)).toMatchObject({ stage: 'abandoned', attempts: 0, interaction_token: '' });
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  const inputs = await pipeline.db.kysely.selectFrom('job_inputs').select('url').execute();
  expect(inputs).toEqual([{ url: '' }, { url: '' }]);
});

test('a job whose process died before the chat was asked starts by itself', async () => {
  const pipeline = await usePipeline();
  const jobId = await pipeline.accept();

  await pipeline.later(16_000);

  await pipeline.until(jobId, 'settled');
});

test('a job that was acknowledged is no longer abandoned', async () => {
  const pipeline = await usePipeline();
  const jobId = await pipeline.run();

  await pipeline.jobs.intake.abandon(jobId);

  await pipeline.until(jobId, 'settled');
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted' });
});
