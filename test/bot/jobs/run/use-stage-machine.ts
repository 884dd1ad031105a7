import { rename, writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { randomId } from '../../../../src/base/ids.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { parseUsd } from '../../../../src/base/money.ts';
import type { JobLimits } from '../../../../src/bot/jobs/job-limits.ts';
import { JobFiles } from '../../../../src/bot/jobs/results/job-files.ts';
import { Jobs } from '../../../../src/bot/jobs/jobs.ts';
import type { StepEvent } from '../../../../src/bot/jobs/run/worker.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import type { MediaApi } from '../../../../src/media-api/media-api.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useClient, useStubApi } from '../../../media-api/use-stub-api.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { sharedMediaPool } from '../../../helpers/use-media-pool.ts';
import { ScriptedService, type Truth } from './scripted-service.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { type Bench, type Death, LEASE_MS, PlayedJob } from './played-job.ts';
import type { RecordingPublisher } from '../use-pipeline.ts';

const FOR_EVER_MS = 1e12;
/** No time limit ends a job, so that there is only one correct outcome. */
const PATIENT = {
  prepareMsMax: FOR_EVER_MS,
  submitMsMax: FOR_EVER_MS,
  capacityMsMax: FOR_EVER_MS,
  unknownJobMs: FOR_EVER_MS,
  chargeMsMax: FOR_EVER_MS,
  collectMsMax: FOR_EVER_MS,
  postMsMax: FOR_EVER_MS,
  staleMs: FOR_EVER_MS,
  lostLeasesMax: Number.MAX_SAFE_INTEGER,
};

/** A database and a service client, used to run simulated jobs one after another. */
export class StageMachine implements Bench {
  readonly db: Database;
  readonly clock: ShiftedClock = new ShiftedClock();
  readonly #api: MediaApi;
  readonly #dataDir: string;
  readonly #media = sharedMediaPool();
  readonly #file: Uint8Array;
  readonly #serve: (service: ScriptedService) => void;
  readonly #limits: Partial<JobLimits>;
  #count = 0;

  constructor(parts: {
    db: Database;
    api: MediaApi;
    dataDir: string;
    file: Uint8Array;
    serve: (service: ScriptedService) => void;
    limits: Partial<JobLimits>;
  }) {
    this.db = parts.db;
    this.#api = parts.api;
    this.#dataDir = parts.dataDir;
    this.#file = parts.file;
    this.#serve = parts.serve;
    this.#limits = { ...PATIENT, ...parts.limits };
  }

  /** Accepts one job. A worker dies once at each of `deaths`. */
  async begin(truth: Truth, options: { isHolding: boolean; deaths: readonly Death[] }): Promise<PlayedJob> {
    const name = `${(this.#count += 1)}`;
    const picture = this.#file;
    const service = new ScriptedService({
      id: `srv_${name}`,
      truth,
      isHolding: options.isHolding,
      picture,
    });
    this.#serve(service);
    const job = new PlayedJob({ machine: this, service, deaths: [...options.deaths], name });
    await job.restart();
    await job.accept(picture.length);
    return job;
  }

  async open(publisher: RecordingPublisher, onStep: (event: StepEvent) => void): Promise<Jobs> {
    const { db, clock } = this;
    return Jobs.open({
      db,
      clock,
      onStep,
      publisher,
      media: this.#media,
      files: await JobFiles.open(this.#dataDir),
      log: silentLogger,
      api: this.#api,
      // The budget has no period: each sequence advances the clock by hours, and if a month ended, later cards would
      // show the next month's budget.
      ledger: new Ledger({ clock, defaultBudget: { limit: parseUsd(10), period: 'total', timeZone: 'UTC' } }),
      fetcher: {
        fetch: async ({ toPath }) => {
          // The fetcher must only ever leave whole files at the path, because a worker that lost its lease may write
          // while another one reads.
          const part = `${toPath}.${randomId('part')}`;
          await writeFile(part, this.#file);
          await rename(part, toPath);
        },
      },
      callbackUrl: (token) => `http://127.0.0.1/${token}`,
      // Without a fixed price, the charge for one job would change the next job's hold.
      prices: { photo_swap: { rate: parseUsd('0.08'), per: 'image' } },
      limits: {
        ...this.#limits,
        leaseMs: LEASE_MS,
        pollMsFirst: 50,
        pollMsMax: 1_000,
        webhookMsMin: 5_000,
      },
    });
  }
}

/** Creates the machine for one test and removes it when the test ends. */
export async function useStageMachine(limits: Partial<JobLimits> = {}): Promise<StageMachine> {
  let service: ScriptedService | undefined;
  const stub = await useStubApi((request, response, read) => service?.answer(request, response, read));
  const db = await useDatabase();
  const machine = new StageMachine({
    db,
    api: useClient(stub, { requestsPerMinute: 100_000 }),
    dataDir: await useFolder(),
    file: await picture(120),
    serve: (next) => void (service = next),
    limits,
  });
  onTestFinished(() => service?.release());
  return machine;
}
