import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../db/database.ts';
import { Disposer } from '../../../src/base/disposer.ts';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import { type Sandbox, createSandbox } from '../../../src/sandbox/sandbox.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { TestEngine } from '../../media-server/test-engine.ts';
import { Program } from '../program/use-program.ts';
import { MANY_COMMANDS } from '../../helpers/use-sandbox.ts';
import { BadMembers } from './bad-members.ts';
import { freePort } from './free-port.ts';
import { HonestMembers } from './honest-members.ts';

/** The started program with a chat and a media service, both of which run in this process. */
export class HostilePlace implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly program: Program;
  readonly dataDir: string;
  readonly db: Database;
  /** The URL of the bot's web server. */
  readonly url: string;
  readonly honest: HonestMembers;
  readonly bad: BadMembers;
  readonly #owned: Disposer;

  private constructor(parts: Omit<HostilePlace, typeof Symbol.asyncDispose>, owned: Disposer) {
    this.sandbox = parts.sandbox;
    this.media = parts.media;
    this.program = parts.program;
    this.dataDir = parts.dataDir;
    this.db = parts.db;
    this.url = parts.url;
    this.honest = parts.honest;
    this.bad = parts.bad;
    this.#owned = owned;
  }

  /** `badMembers` is the number of members who will send the worst files. */
  static async open(badMembers: number): Promise<HostilePlace> {
    const owned = new Disposer();
    const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-hostile-'));
    owned.defer(() => rm(dataDir, { recursive: true, force: true }));
    const media = owned.use(
      await createMediaServer({
        dataDir: join(dataDir, 'media-server'),
        requestsPerMinute: 100_000,
        engines: { photoSwap: new TestEngine() },
      }),
    );
    const sandbox = owned.use(await createSandbox({ commandLimit: MANY_COMMANDS }));
    // The program publishes its commands when it starts, so the guilds must exist by then.
    const [honest, bad] = [new HonestMembers(sandbox), new BadMembers(sandbox, badMembers)];
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const program = new Program(
      ['start'],
      {
        PORT: String(port),
        PUBLIC_URL: url,
        DATA_DIR: dataDir,
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_URL: sandbox.apiUrl,
        DISCORD_CDN_HOSTS: sandbox.cdnHost,
        MEDIA_API_URL: media.baseUrl,
        MEDIA_API_KEY: media.apiKey,
        MEDIA_API_SIGNING_SECRET: media.signingSecret,
        MEDIA_API_REQUESTS_PER_MINUTE: '100000',
        BUDGET_USD: '1000',
        LOG_LEVEL: 'warn',
      },
      dataDir,
    );
    owned.defer(async () => {
      program.kill('SIGKILL');
      await program.ended();
    });
    await program.ready();
    const db = owned.use(await openDatabase({ url: databaseUrlIn(dataDir) }));
    return new HostilePlace({ sandbox, media, program, dataDir, db, url, honest, bad }, owned);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}
