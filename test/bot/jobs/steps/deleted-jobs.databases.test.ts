import { expect, test } from 'vitest';
import type { JobPatch, JobStage } from '../../../../db/schema/jobs.ts';
import { type Pipeline, usePipeline } from '../use-pipeline.ts';

const SENT = { request_body: '{}', service_job_id: 'srv_1', status_url: '/api/v1/jobs/srv_1' };

/** Deletes a job in `stage`, and then lets the pipeline work until the job is settled. */
async function deletedIn(stage: JobStage, patch: JobPatch = {}): Promise<Pipeline & { jobId: string }> {
  const pipeline = await usePipeline({ start: false });
  const jobId = await pipeline.run();
  await pipeline.db.kysely
    .updateTable('jobs')
    .set({ ...patch, stage, taken_back: 'deleted' })
    .where('id', '=', jobId)
    .execute();
  await pipeline.jobs.start();
  await pipeline.until(jobId, 'settled');
  return { ...pipeline, jobId };
}

test.each<[JobStage, JobPatch]>([
  ['accepted', {}],
  ['fetched', {}],
  ['uploaded', {}],
  ['submitting', { request_body: '{}' }],
])('nothing of a deleted job that is %s is sent or shown, and its hold is released', async (stage, patch) => {
  const pipeline = await deletedIn(stage, patch);
  const { asked, publisher, jobId } = pipeline;

  expect([asked.upload, asked.submit, asked.job]).toEqual([0, 0, 0]);
  expect(publisher.cards).toEqual([]);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
});

test('a deleted job that may be at the service is looked up there under its key, and paid', async () => {
  const pipeline = await deletedIn('submitting', { request_body: '{}', attempts: 1 });
  const { asked, publisher, jobId } = pipeline;

  expect(asked.submit).toBe(1);
  expect(publisher.cards).toEqual([]);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
});

test.each<[JobStage, JobPatch]>([
  ['submitted', SENT],
  ['finished', { ...SENT, outcome: 'succeeded', finished_at_ms: 1 }],
  ['charged', { ...SENT, outcome: 'succeeded', finished_at_ms: 1 }],
  ['collected', { ...SENT, outcome: 'succeeded', finished_at_ms: 1 }],
])('the output of a deleted job that is %s is paid, but neither kept nor shown', async (stage, patch) => {
  const pipeline = await deletedIn(stage, patch);
  const { asked, publisher, jobId } = pipeline;

  expect([asked.submit, asked.output]).toEqual([0, 0]);
  expect(publisher.cards).toEqual([]);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
});
