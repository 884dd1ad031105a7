import { expect, test } from 'vitest';
import { TOKEN, deliveryBody, signedHeaders, useWeb } from './use-web.ts';
import { useResult } from './use-result.ts';

test.each([
  [{}, 200],
  [{ database: true }, 200],
  [{ database: true, discord: true }, 200],
  [{ database: true, discord: false }, 503],
  [{ database: false, discord: true }, 503],
  [{ database: false, discord: false }, 503],
])('is ready with the parts %j: %i', async (parts, status) => {
  const { app } = await useWeb({ readiness: async () => parts });

  const answer = await app.inject('/readyz');

  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toEqual({ status: status === 200 ? 'ready' : 'not_ready', parts });
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' });
});

test('checks once for all simultaneous requests, and again for later ones', async () => {
  let checks = 0;
  let gate = Promise.withResolvers<void>();
  const readiness = async (): Promise<{ database: boolean }> => {
    checks += 1;
    await gate.promise;
    return { database: checks > 1 };
  };
  const { app } = await useWeb({ readiness });

  const asked = Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')));
  await expect.poll(() => checks).toBe(1);
  gate.resolve();
  expect(new Set((await asked).map((answer) => answer.statusCode))).toEqual(new Set([503]));
  expect(checks).toBe(1);

  gate = Promise.withResolvers<void>();
  gate.resolve();
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  expect(checks).toBe(2);
});

test('checks again after a check that failed', async () => {
  let checks = 0;
  const { app } = await useWeb({
    readiness: async () => {
      checks += 1;
      if (checks === 1) throw new Error('Cannot check');
      return { database: true };
    },
  });

  expect((await app.inject('/readyz')).statusCode).toBe(500);
  expect((await app.inject('/readyz')).statusCode).toBe(200);
});

test('answers every route with 503 and keeps nothing once the bot has stopped', async () => {
  let isOpen = true;
  const web = await useWeb({ isOpen: () => isOpen });
  const { url } = await useResult(web);
  const body = deliveryBody();
  const headers = signedHeaders(body, Math.floor(web.clock.now() / 1000));
  const hook = { method: 'POST', url: `/webhooks/${TOKEN}`, payload: body, headers } as const;
  isOpen = false;

  const answers = await Promise.all(['/healthz', '/readyz', url, hook].map((asked) => web.app.inject(asked)));

  expect(answers.map((answer) => [answer.statusCode, answer.json()])).toEqual(
    answers.map(() => [503, { status: 'stopped' }]),
  );
  expect(web.nudges()).toBe(0);
  isOpen = true;
  expect((await web.app.inject(url)).statusCode).toBe(200);
});
