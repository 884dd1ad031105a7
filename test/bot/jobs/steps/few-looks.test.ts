import { expect, test } from 'vitest';
import { deliveryBody } from '../../web/use-web.ts';
import { jobState, usePipeline } from '../use-pipeline.ts';

const JOBS = 80;
const AT_ONCE = 20;

test(
  `${JOBS} jobs with webhooks cost at most 1.05 checks each, although no webhook reports the charge`,
  { timeout: 240_000 },
  async () => {
    const pipeline = await usePipeline({
      webhooks: true,
      limits: { openPerGuildMax: JOBS, openPerMemberMax: JOBS },
    });
    const { inbox } = pipeline.jobs;
    let submits = 0;
    pipeline.script.submit = [
      async (_request, response, read) => {
        await read();
        const id = `srv_${(submits += 1)}`;
        response.end(JSON.stringify({ id, status: 'queued', status_url: `/api/v1/jobs/${id}` }));
      },
    ];
    pipeline.script.job = [jobState()];

    const runOne = async (job: number): Promise<void> => {
      const jobId = await pipeline.run(String(job));
      const sent = await pipeline.until(jobId, 'submitted', 0);
      const serviceJobId = sent.service_job_id ?? '';
      const body = deliveryBody(serviceJobId, `dlv_${job}`).toString().replace('0.04', 'null');
      const { callback_token: callbackToken } = sent;
      await inbox.receive({ deliveryId: `dlv_${job}`, serviceJobId, callbackToken, body: Buffer.from(body) });
      await pipeline.until(jobId, 'settled', 0);
    };
    for (let first = 0; first < JOBS; first += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => runOne(first + index)));
    }

    expect(pipeline.publisher.cards.filter((card) => card.kind === 'result')).toHaveLength(JOBS);
    expect(pipeline.asked.job).toBeLessThanOrEqual(1.05 * JOBS);
    expect(pipeline.asked.job).toBeGreaterThanOrEqual(JOBS);
  },
);

test('a job that does not end in a day is still checked, its hold is kept, and the log says so', async () => {
  const pipeline = await usePipeline();
  pipeline.script.job = [jobState({ status: 'processing', output_url: null, charged_usd: null })];
  const jobId = await pipeline.run();
  await pipeline.until(jobId, 'submitted');
  await pipeline.later(25 * 3_600_000);
  await expect.poll(() => pipeline.logged.join('\n')).toContain('A job has been at the service for too long');
  const stale = await pipeline.row(jobId);
  expect(stale.due_at_ms - pipeline.clock.now()).toBeGreaterThan(500_000);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'pending' });

  pipeline.script.job = [jobState()];
  await pipeline.until(jobId, 'settled', 600_000);

  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted' });
});
