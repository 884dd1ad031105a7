import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openDatabase } from '../../../db/database.ts';
import { Confinement } from '../../../src/base/children/confinement.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { JobFiles } from '../../../src/bot/jobs/results/job-files.ts';
import { Jobs } from '../../../src/bot/jobs/jobs.ts';
import { MediaPool } from '../../../src/bot/media/pool/media-pool.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { MediaApi } from '../../../src/media-api/media-api.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import { picture } from '../../media-server/test-engine.ts';
import { benchFolder } from './bench-folder.ts';
import { BenchChild } from './child.ts';
import type { Intake } from '../../../src/bot/jobs/intake/intake.ts';
import type { JobPublisher } from '../../../src/bot/jobs/job-publisher.ts';
import type { JobRequest } from '../../../src/bot/jobs/job-request.ts';

/**
 * The memory of the process after a fifth of the jobs and after all of them, measured after garbage collection, and the
 * number of jobs per second.
 */
export interface JobMemoryBench {
  readonly jobs: number;
  readonly jobsPerSecond: number;
  readonly heapMbAfterAFifth: number;
  readonly heapMbAfterAll: number;
  readonly rssMbAfterAFifth: number;
  readonly rssMbAfterAll: number;
}

const AT_ONCE = 100;
const MB = 1024 * 1024;

/** Runs whole jobs from command to settlement with a real database, against a service in another process. */
export async function benchJobMemory(jobs: number): Promise<JobMemoryBench> {
  await using folder = await benchFolder();
  using service = new BenchChild('./quick-service.ts');
  const baseUrl = await service.says<string>();
  await using db = await openDatabase({ url: `sqlite:${join(folder.path, 'bench.db')}` });
  await using api = new MediaApi({ baseUrl, apiKey: 'key', requestsPerMinute: 100_000 });
  const file = await picture(50);
  const publisher = new CountingPublisher();
  const parts = { clock: systemClock, log: silentLogger };
  await using media = new MediaPool({ confinement: new Confinement(parts), ...parts });
  await using pipeline = await Jobs.open({
    db,
    api,
    publisher,
    media,
    files: await JobFiles.open(folder.path),
    ...parts,
    ledger: new Ledger({
      clock: systemClock,
      defaultBudget: { limit: parseUsd('100000'), period: 'month', timeZone: 'UTC' },
    }),
    fetcher: {
      async fetch({ toPath }) {
        await writeFile(toPath, file);
      },
    },
    limits: { openPerGuildMax: 1_000, openPerMemberMax: 1_000, pollMsFirst: 1, pollMsMax: 50 },
  });
  await pipeline.start();
  const startedMs = performance.now();
  await runUntil(pipeline.intake, publisher, jobs / 5);
  const early = await memory();
  await runUntil(pipeline.intake, publisher, jobs);
  const late = await memory();
  return {
    jobs,
    jobsPerSecond: jobs / ((performance.now() - startedMs) / 1000),
    heapMbAfterAFifth: early.heapMb,
    heapMbAfterAll: late.heapMb,
    rssMbAfterAFifth: early.rssMb,
    rssMbAfterAll: late.rssMb,
  };
}

class CountingPublisher implements JobPublisher {
  published = 0;

  showProgress(): void {}

  ask(): never {
    throw new TypeError('Nobody set a price limit');
  }

  remove(): Promise<boolean> {
    return Promise.resolve(false);
  }

  publish(): ReturnType<JobPublisher['publish']> {
    this.published += 1;
    return Promise.resolve({ outcome: 'posted', messageId: '1' });
  }
}

let accepted = 0;

async function runUntil(
  intake: Pick<Intake, 'accept' | 'acknowledged'>,
  publisher: CountingPublisher,
  jobs: number,
): Promise<void> {
  while (publisher.published < jobs) {
    while (accepted < jobs && accepted - publisher.published < AT_ONCE) {
      const outcome = await intake.accept(aRequest((accepted += 1)));
      if (!outcome.accepted) throw new Error(`Refused: ${outcome.refusal.reason}`);
      await intake.acknowledged(outcome.jobId, null);
    }
    await pause(2);
  }
}

function aRequest(number: number): JobRequest {
  const source = { from: 'chat', url: 'https://cdn.example/x', sizeBytes: 1_000 } as const;
  return {
    ...anOrigin({ interactionId: `bench_${number}`, receivedAtMs: Date.now() }),
    guildId: `guild_${number % 20}`,
    capability: 'photo_swap',
    parameters: {},
    inputs: [
      { kind: 'image', source, field: 'image_key', option: 'image' },
      { kind: 'image', source, field: 'face_key', option: 'face' },
    ],
  };
}

async function memory(): Promise<{ readonly heapMb: number; readonly rssMb: number }> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) {
    await pause(50);
    collect();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / MB, rssMb: rss / MB };
}
