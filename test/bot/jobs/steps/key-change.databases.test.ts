import { expect, test } from 'vitest';
import { type Reply, refuse } from '../../../media-api/use-stub-api.ts';
import { usePipeline } from '../use-pipeline.ts';

/** Responds with 401 to every API key except this one. */
function onlyFor(key: string, reply: Reply): Reply {
  return async (request, response, read) => {
    const isKey = request.headers.authorization === `Bearer ${key}`;
    await (isKey ? reply : refuse(401, 'unauthorized'))(request, response, read);
  };
}

test('jobs wait while the key is refused, with few requests, and go on under the new one', async () => {
  let key = 'revoked';
  const pipeline = await usePipeline({ apiKey: () => key });
  for (const route of ['upload', 'submit', 'job'] as const) {
    pipeline.script[route] = pipeline.script[route].map((reply) => onlyFor('fresh', reply));
  }
  const jobIds = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => pipeline.run(name)));
  await expect.poll(() => pipeline.asked.upload).toBeGreaterThanOrEqual(1);
  for (let minute = 0; minute < 10; minute++) await pipeline.later(60_000);
  for (const jobId of jobIds) expect(await pipeline.hold(jobId)).toMatchObject({ state: 'pending' });
  expect(pipeline.publisher.cards).toEqual([]);
  expect(pipeline.logged.filter((line) => line.includes('refuses the API key')).length).toBeLessThanOrEqual(
    1,
  );

  key = 'fresh';
  let submits = 0;
  pipeline.script.submit = [
    async (_request, response, read) => {
      await read();
      const id = `srv_${(submits += 1)}`;
      response.end(JSON.stringify({ id, status: 'queued', status_url: `/api/v1/jobs/${id}` }));
    },
  ];
  for (const jobId of jobIds) await pipeline.until(jobId, 'settled', 60_000);

  expect(pipeline.publisher.cards.map((card) => card.kind)).toEqual(jobIds.map(() => 'result'));
});
