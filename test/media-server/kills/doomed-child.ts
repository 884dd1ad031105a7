import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { type Clock, sleep, systemClock } from '../../../src/base/clock.ts';
import { RenderError } from '../../../src/media-server/engine/render-error.ts';
import { createMediaServer } from '../../../src/media-server/server.ts';
import { seeded } from './seeded.ts';

/**
 * Runs a server in its own process, to be killed at any moment. It loads everything first. Then it reads from
 * stdin by how many milliseconds to set its clock ahead of the wall clock, which simulates downtime.
 */
const [dataDir = '', seed = ''] = process.argv.slice(2);
// Stores the compiled code for later processes now, because a killed process does not store it on exit.
flushCompileCache();
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const laterMs = Number(line.toString());
const clock: Clock = { ...systemClock, now: () => systemClock.now() + laterMs };
const random = seeded(Number(seed));

const server = await createMediaServer({
  dataDir,
  clock,
  requestsPerMinute: 1_000_000,
  jobsInFlightMax: 100_000,
  renderWorkers: 3,
  engines: {
    photoSwap: {
      async swapPhoto({ outputPath }, signal) {
        await sleep(systemClock, random(12), signal);
        if (random(6) === 0) throw new RenderError('face_not_detected', 'Cannot render: no face');
        await writeFile(outputPath, 'a picture');
        return { width: 1, height: 1, mime: 'image/png' };
      },
    },
  },
});
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, apiKey: server.apiKey })}\n`);
