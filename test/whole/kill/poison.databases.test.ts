import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { picture } from '../../media-server/test-engine.ts';
import { addGuildOf } from '../shards/use-shards.ts';
import { SlowClock } from '../../helpers/slow-clock.ts';
import { type Community, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from './killable-bot.ts';

const PATIENT = { timeoutMs: 90_000 };
const PATIENT_POLL = { timeout: 90_000, interval: 50 };
const PROCESSES = 2;
const POISON = { stage: 'accepted', moment: 'starting' } as const;

/** Processes that die of one job. Each is replaced by another that dies of the same job. */
class Lives implements Disposable {
  deaths = 0;
  readonly #place: Omit<Community, 'bot'>;
  readonly #poison: () => Promise<string>;
  #isOver = false;

  constructor(place: Omit<Community, 'bot'>, poison: () => Promise<string>) {
    this.#place = place;
    this.#poison = poison;
  }

  start(shard: number, jobId?: string): BotProcess {
    const sharding = { shards: [shard], shardCount: PROCESSES };
    const bot = killableBot({ ...this.#place, sharding, lostLeasesMax: 3 });
    onTestFinished(() => bot.kill());
    bot.begin(0, jobId === undefined ? undefined : { ...POISON, jobId });
    void bot.died().then(async () => {
      if (this.#isOver) return;
      this.deaths += 1;
      this.start(shard, await this.#poison());
    });
    return bot;
  }

  /** Processes that die from now on are not replaced. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }
}

test(
  'a job that kills its processes kills three; then its member is notified of the reason, and all other jobs continue',
  { timeout: 240_000 },
  async () => {
    const place = await useCommunityWithoutBot({ sandbox: { clock: new SlowClock() } });
    const { sandbox, engine, media, dataDir } = place;
    const guild = addGuildOf(sandbox, 0, PROCESSES, 'Film club');
    const general = guild.addTextChannel('general');
    const ada = guild.addMember('Ada');
    await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
    const jobs = () => db.kysely.selectFrom('jobs').selectAll().orderBy('turn').execute();
    using lives = new Lives(place, async () => (await jobs()).at(-1)?.id ?? '');
    const image = { name: 'image.png', bytes: await picture(10, 64) };
    const face = { name: 'face.png', bytes: await picture(200, 64) };
    const swap = (): Promise<UseOfBot> => ada.runs('/photo-swap', { in: general, options: { image, face } });
    const bots = Array.from({ length: PROCESSES }, (_, shard) => lives.start(shard));
    await Promise.all(bots.map((bot) => bot.ready()));
    engine.pause();
    const stages = async (): Promise<string[]> => (await jobs()).map(({ stage }) => stage);
    const others = [await swap(), await swap()];
    // Both jobs are at the service before the processes are armed, as an armed process dies of any job it starts.
    await expect.poll(stages, PATIENT_POLL).toEqual(['submitted', 'submitted']);
    await Promise.all(bots.map((bot) => bot.arm(POISON)));

    const poison = await swap();
    const told = await poison.replyWhere(({ text }) => text.includes('failed three times'), PATIENT);
    engine.release();
    for (const other of others) {
      await other.replyWhere(({ attachments }) => attachments.length === 1, PATIENT);
    }
    await expect.poll(stages, PATIENT_POLL).toEqual(['settled', 'settled', 'settled']);

    expect(lives.deaths).toBe(3);
    expect(told.text).toContain('othing was charged');
    expect(await bookProblems({ dataDir, media, messages: general.messages })).toEqual([]);
  },
);
