/**
 * One process of a crowd: a bot's pipeline without its chat. When its parent sends the signal, it accepts commands
 * from one guild and reports their outcomes; then it works on its share of the accepted jobs until it is killed.
 */
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { DatabaseError } from '../../../db/database-error.ts';
import { openDatabase } from '../../../db/database.ts';
import { openPseudonyms } from '../../../db/pseudonyms.ts';
import { RateLog } from '../../../db/rate-log.ts';
import { Confinement } from '../../../src/base/children/confinement.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Disposer } from '../../../src/base/disposer.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { openMoney } from '../../../src/compose/open-money.ts';
import { refusalNotice } from '../../../src/bot/discord/words/notices/refusal-notice.ts';
import { JobFiles } from '../../../src/bot/jobs/results/job-files.ts';
import { Jobs } from '../../../src/bot/jobs/jobs.ts';
import { MediaPool } from '../../../src/bot/media/pool/media-pool.ts';
import { MediaApi } from '../../../src/media-api/media-api.ts';
import type { MasqueradeOptions } from '../../../src/compose/masquerade-options.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import type { InputFetcher } from '../../../src/bot/jobs/inputs/input-fetcher.ts';
import type { JobPublisher } from '../../../src/bot/jobs/job-publisher.ts';
import type { JobRequest } from '../../../src/bot/jobs/job-request.ts';

/** The command-line argument from the parent. */
export interface CrowdOptions {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The path of the picture that every member attaches. */
  readonly picture: string;
  readonly budgetMicros: number;
  readonly commands: number;
}

/** The message to the parent. */
export interface CrowdAnswer {
  readonly accepted: number;
  /** The refusal text of each refused member. */
  readonly refusals: readonly string[];
}

/** A chat that accepts everything. */
class Chat implements JobPublisher {
  showProgress(): void {}

  ask(): ReturnType<JobPublisher['publish']> {
    return this.publish();
  }

  publish(): ReturnType<JobPublisher['publish']> {
    return Promise.resolve({ outcome: 'posted', messageId: '1' });
  }

  remove(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

const options = JSON.parse(process.argv[2] ?? '') as CrowdOptions;
const name = process.argv[3] ?? '';
const { dataDir, databaseUrl, baseUrl, apiKey } = options;
const owned = new Disposer();
const parts = { clock: systemClock, log: silentLogger };
const db = owned.use(await openDatabase({ url: databaseUrl, clock: systemClock }));
const rateLog = new RateLog(db, () => 'key');
const api = owned.use(new MediaApi({ baseUrl, apiKey, requestsPerMinute: 100_000, rateLog, ...parts }));
const fetcher: InputFetcher = {
  async fetch({ toPath }) {
    await copyFile(options.picture, toPath);
  },
};
const botOptions: MasqueradeOptions = {
  discord: { token: 'not used' },
  mediaApi: { baseUrl, apiKey },
  defaultBudget: { limit: micros(options.budgetMicros), period: 'month', timeZone: 'UTC' },
};
const confinement = new Confinement({ log: silentLogger });
const { ledger } = openMoney(
  { options: botOptions, owned, ...parts },
  { db, confinement, pseudonymOf: await openPseudonyms(db.kysely) },
);
const media = owned.use(new MediaPool({ confinement, ...parts }));
const limits = { pollMsFirst: 100, pollMsMax: 500 };
const jobs = owned.use(
  await Jobs.open({
    db,
    files: await JobFiles.open(dataDir),
    ...parts,
    api,
    ledger,
    fetcher,
    media,
    publisher: new Chat(),
    limits,
  }),
);
await jobs.start();
process.send?.('ready');
await once(process, 'message');
const outcomes = await Promise.all(
  Array.from({ length: options.commands }, async (_, index) => {
    const outcome = await accepted(aSwap(`${name}_${index}`));
    if (outcome.accepted) await jobs.intake.acknowledged(outcome.jobId, null);
    return outcome;
  }),
);
const refusals = outcomes.flatMap((outcome) => {
  if (outcome.accepted) return [];
  const { title, happened, next } = refusalNotice(outcome.refusal);
  return [[title, happened, next].join('\n')];
});
const answer: CrowdAnswer = { accepted: outcomes.length - refusals.length, refusals };
process.send?.(answer);
await once(process, 'disconnect');
await owned[Symbol.asyncDispose]();

/**
 * Sends a command. On a busy machine it may be refused because it waited too long for the others of its guild; its
 * member then sends it again.
 */
async function accepted(request: JobRequest): ReturnType<typeof jobs.intake.accept> {
  try {
    return await jobs.intake.accept(request);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== 'locked') throw error;
    return accepted(request);
  }
}

function aSwap(id: string): JobRequest {
  const source = { from: 'chat', url: 'https://cdn.example/x', sizeBytes: 100 } as const;
  const input = { kind: 'image', source } as const;
  return {
    ...anOrigin({ interactionId: `interaction_${id}`, userId: `member_${id}`, receivedAtMs: Date.now() }),
    capability: 'photo_swap',
    parameters: {},
    inputs: [
      { ...input, field: 'image_key', option: 'image' },
      { ...input, field: 'face_key', option: 'face' },
    ],
  };
}
