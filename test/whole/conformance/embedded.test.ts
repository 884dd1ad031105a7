import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import { copyingEngines } from './copying-engines.ts';
import { defineSuite } from './define-suite.ts';
import { type Target, openTarget } from './target.ts';

/** High enough that the suite, which obeys the service's rate limit, never has to wait. */
const REQUESTS_PER_MINUTE = 100_000;

let dataDir: string;
let server: MediaServer;
let target: Target;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'masquerade-'));
  const clip = fileURLToPath(new URL('../../samples/talking-woman-512.mp4', import.meta.url));
  const engines = copyingEngines(clip);
  server = await createMediaServer({ dataDir, engines, requestsPerMinute: REQUESTS_PER_MINUTE });
  target = openTarget({
    baseUrl: server.baseUrl,
    key: server.apiKey,
    secret: server.signingSecret,
    headerPrefix: 'Service',
    readOnly: false,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    jobSeconds: 20,
  });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

defineSuite(() => target, { readOnly: false });
