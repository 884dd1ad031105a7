import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Caller } from './caller.ts';

test('the key is sent to the service, and to no address that its answers contain', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    keys.push(headers.authorization);
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Caller(`${origin}/api/v1`, 'canary').get(`${origin}/api/v1/jobs/job_1`);
  await new Caller('http://service.example/api/v1', 'canary').get(`${origin}/api/v1/jobs/job_1`);
  expect(keys).toEqual(['Bearer canary', undefined]);
});
