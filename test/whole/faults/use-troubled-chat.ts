import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { findJobByInteraction } from '../../../db/queries/jobs.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import { pathExists } from '../../../src/base/path-exists.ts';
import type { Logger } from '../../../src/base/log.ts';
import type { RestFault } from '../../../src/sandbox/fault-plan.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { until } from '../../bot/discord/use-bot.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunity } from '../../helpers/use-community.ts';

/** The number of failures of a lasting fault: so many that a job gives up before the fault ends. */
export const LASTING = 50;

function refusal(status: number, code: number): RestFault {
  return { status, body: { code, message: 'Refused on order' } };
}

export type FaultName =
  | '500 before'
  | '500 after'
  | '429'
  | '10003'
  | '10008'
  | '50001'
  | '50013'
  | '50027'
  | '200000';

/** Discord's answers, repeated where necessary until the REST client's own retries are exhausted. */
export const FAULTS: Readonly<Record<FaultName, RestFault>> = {
  '500 before': { status: 500, times: 5 },
  '500 after': { status: 500, moment: 'after' },
  429: {
    status: 429,
    times: 2,
    headers: { 'retry-after': '0.05', 'x-ratelimit-scope': 'user' },
    body: { message: 'You are being rate limited.', retry_after: 0.05, global: false },
  },
  10003: refusal(404, 10003),
  10008: refusal(404, 10008),
  50001: refusal(403, 50001),
  50013: refusal(403, 50013),
  50027: refusal(401, 50027),
  200000: refusal(400, 200000),
};

export type Call = Pick<RestFault, 'method' | 'route'>;

/** Returns a fault of one call. Rejections last, because Discord answers every repeat in the same way. */
export function faultOf(name: FaultName, call: Call): RestFault {
  const fault = FAULTS[name];
  return { ...call, ...fault, times: fault.times ?? (fault.moment === 'after' ? 1 : LASTING) };
}

export interface TroubledChat extends Community {
  /** Runs one command in a separate channel, with actions before it and while its job is at the service. */
  readonly swap: (trouble: {
    readonly atStart?: () => void;
    readonly atService?: () => void;
  }) => Promise<string>;
  /** Returns how many jobs have been done so far; each is rendered once and charged once. */
  readonly done: () => number;
}

/** Starts the whole bot with its pipeline and its media service; only Discord's API has faults. */
export async function useTroubledChat(): Promise<TroubledChat> {
  let events = 0;
  const bump = (): void => void (events += 1);
  const logger: Logger = { debug: bump, info: bump, warn: bump, error: bump, child: () => logger };
  const community = await useCommunity({ bot: { logger, onStep: bump }, sandbox: { observe: bump } });
  const { guild, ada, sandbox, engine, dataDir } = community;
  const db = await openDatabase({ url: databaseUrlIn(dataDir) });
  onTestFinished(() => db[Symbol.asyncDispose]());
  const options = {
    image: { name: 'image.png', bytes: await picture(90) },
    face: { name: 'face.png', bytes: await picture(200) },
  };
  let rooms = 0;
  let done = 0;
  /** Reads the job again after everything that the bot does, logs or sends, until `isAwaited` accepts it. */
  const jobWhere = async (use: UseOfBot, isAwaited: (job: JobRow) => boolean): Promise<JobRow> => {
    for (;;) {
      const seen = events;
      const job = await findJobByInteraction(db.kysely, use.id);
      if (job && isAwaited(job)) return job;
      await until(() => events > seen);
    }
  };

  const swap: TroubledChat['swap'] = async ({ atStart, atService }) => {
    const channel = guild.addTextChannel(`room-${rooms++}`);
    const begun = engine.begun.length;
    engine.pause();
    atStart?.();
    const use = await ada.runs('/photo-swap', { in: channel, options });
    const isAtService = (): boolean => engine.begun.length > begun;
    let job = await jobWhere(use, ({ stage }) => stage === 'abandoned' || isAtService());
    if (job.stage !== 'abandoned') {
      // The job shows progress and is at the service, so no other request is pending.
      await until(() => use.state === 'replied');
      atService?.();
      engine.release();
      job = await jobWhere(use, ({ stage }) => stage === 'settled');
      done += 1;
    }
    engine.release();
    if (job.stage === 'abandoned' && use.interaction.state.is === 'acknowledged') await use.replied();
    sandbox.faults.clear();
    return outcomeOf(use, channel, job);
  };
  return { ...community, swap, done: () => done };
}

/** Returns what the member sees in the end. */
async function outcomeOf(use: UseOfBot, channel: SandboxChannel, job: JobRow): Promise<string> {
  const files = channel.messages.filter(({ attachments }) => attachments.length > 0).length;
  const others = channel.messages.length - files;
  if (job.stage === 'abandoned') return others > 0 ? 'not done, and reported' : 'not done, nothing shown';
  const isKept = job.result_path !== null && (await pathExists(job.result_path));
  if (files === 1) return others === 0 ? 'posted' : 'posted beside the old card';
  return files === 0 && isKept ? 'kept' : `${files} files in ${use.id}`;
}
