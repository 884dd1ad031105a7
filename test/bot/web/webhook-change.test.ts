import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/log.ts';
import { webPlugin } from '../../../src/bot/web/web-plugin.ts';
import { type Pipeline, jobState, usePipeline } from '../jobs/use-pipeline.ts';
import { SECRET, TOKEN, deliveryBody, signedHeaders, useWeb } from './use-web.ts';

const MINUTE_MS = 60_000;

test('no valid webhook is refused during a change of the signing secret, and the old secret expires', async () => {
  const secrets = ['whsec_old'];
  const web = await useWeb({ secrets });
  let deliveries = 0;
  const post = async (secret: string): Promise<number> => {
    const body = deliveryBody('srv_1', `dlv_${(deliveries += 1)}`);
    const headers = signedHeaders(body, Math.floor(web.clock.now() / 1_000), secret);
    const answer = await web.app.inject({
      method: 'POST',
      url: `/webhooks/${TOKEN}`,
      payload: body,
      headers,
    });
    return answer.statusCode;
  };
  const some = (secret: string): Promise<number[]> =>
    Promise.all(Array.from({ length: 20 }, () => post(secret)));

  const before = await some('whsec_old');
  const during = some('whsec_old');
  secrets.unshift('whsec_new');
  const overlap = await Promise.all([some('whsec_old'), some('whsec_new')]);
  expect(new Set([before, await during, ...overlap].flat())).toEqual(new Set([200]));

  secrets.pop();
  expect(new Set(await some('whsec_new'))).toEqual(new Set([200]));
  expect(new Set(await some('whsec_old'))).toEqual(new Set([401]));
});

/** Creates the bot's web routes for a pipeline. */
async function useWebOf({ jobs, clock }: Pipeline) {
  const app = fastify();
  onTestFinished(() => app.close());
  const signingSecrets = (): readonly string[] => [SECRET];
  await app.register(
    webPlugin({
      inbox: jobs.inbox,
      results: jobs.links,
      clock,
      log: silentLogger,
      headerPrefix: 'Service',
      signingSecrets,
      isOpen: () => true,
      readiness: () => Promise.resolve({}),
    }),
  );
  return app;
}

test('a retry that still has its first time is refused, and its job is checked at once', async () => {
  const pipeline = await usePipeline({ webhooks: true });
  const app = await useWebOf(pipeline);
  const jobId = await pipeline.run();
  const { callback_token: token } = await pipeline.until(jobId, 'submitted', 0);
  pipeline.script.job = [jobState()];
  const body = deliveryBody('srv_1', 'dlv_1');
  const headers = signedHeaders(body, Math.floor(pipeline.clock.now() / 1_000));
  // Prevents the job from being checked for any other reason.
  await pipeline.db.kysely.updateTable('jobs').set({ due_at_ms: Number.MAX_SAFE_INTEGER }).execute();
  await pipeline.later(9 * MINUTE_MS);
  expect(pipeline.asked.job).toBe(0);

  const posts = Array.from({ length: 5 }, () =>
    app.inject({ method: 'POST', url: `/webhooks/${token}`, payload: body, headers }),
  );
  const answers = await Promise.all(posts);

  expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401, 401, 401, 401]);
  await pipeline.until(jobId, 'settled', 0);
  expect(pipeline.asked.job).toBe(1);
});
