import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Database, openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import { Disposer } from '../../../src/base/disposer.ts';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import { type Sandbox, createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { TestEngine, picture } from '../../media-server/test-engine.ts';

const RENDER_MS_MAX = 300;
const IMAGE = { name: 'image.png', bytes: await picture(10, 64) };
const FACE = { name: 'face.png', bytes: await picture(200, 64) };

export type JobGlance = Pick<JobRow, 'id' | 'stage' | 'outcome' | 'interaction_id'>;

/** A bot's surroundings: a chat, the media service, the bot's data, and one address for webhooks. */
export class KillPlace implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly dataDir: string;
  /** Forwards webhooks to the bot that is running. */
  readonly webhooks: FaultProxy;
  readonly channel: SandboxChannel;
  /** Every command so far. */
  readonly uses: UseOfBot[] = [];
  readonly #member: SandboxMember;
  readonly #db: Database;
  readonly #owned: Disposer;

  private constructor(
    parts: Pick<KillPlace, 'sandbox' | 'media' | 'dataDir' | 'webhooks'> & { db: Database; owned: Disposer },
  ) {
    this.sandbox = parts.sandbox;
    this.media = parts.media;
    this.dataDir = parts.dataDir;
    this.webhooks = parts.webhooks;
    this.#db = parts.db;
    this.#owned = parts.owned;
    const guild = this.sandbox.addGuild('Film club');
    this.channel = guild.addTextChannel('general');
    this.#member = guild.addMember('Ada');
  }

  /** `random` returns whole numbers below its argument, which decide how long the service takes for a job. */
  static async open(random: (limit: number) => number): Promise<KillPlace> {
    const owned = new Disposer();
    const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-kills-'));
    owned.defer(() => rm(dataDir, { recursive: true, force: true }));
    const engine = new TestEngine();
    const media = owned.use(
      await createMediaServer({
        dataDir: join(dataDir, 'media-server'),
        requestsPerMinute: 100_000,
        renderWorkers: 8,
        engines: {
          photoSwap: {
            swapPhoto: async (request, signal) => {
              await wait(random(RENDER_MS_MAX), undefined, { signal });
              return engine.swapPhoto(request, signal);
            },
          },
        },
      }),
    );
    const sandbox = owned.use(await createSandbox());
    const webhooks = owned.use(await FaultProxy.open());
    const db = owned.use(await openDatabase({ url: databaseUrlIn(dataDir) }));
    return new KillPlace({ sandbox, media, dataDir, webhooks, db, owned });
  }

  /** Runs `/photo-swap` as the member. */
  async swap(): Promise<void> {
    const options = { image: IMAGE, face: FACE };
    this.uses.push(await this.#member.runs('/photo-swap', { in: this.channel, options }));
  }

  async openJobs(): Promise<JobGlance[]> {
    return (await this.jobs()).filter(({ stage }) => stage !== 'settled' && stage !== 'abandoned');
  }

  jobs(): Promise<JobGlance[]> {
    const columns = ['id', 'stage', 'outcome', 'interaction_id'] as const;
    return this.#db.kysely.selectFrom('jobs').select(columns).execute();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}
