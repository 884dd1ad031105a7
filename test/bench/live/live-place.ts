import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disposer } from '../../../src/base/disposer.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { LiveSwapEngine } from '../../../src/media-server/engine/live-swap-engine.ts';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';

/** The bot, the local Discord and the media server with an engine, all in this process. */
export class LivePlace implements AsyncDisposable {
  readonly media: MediaServer;
  readonly #link: () => Promise<string>;
  readonly #owned: Disposer;

  private constructor(media: MediaServer, link: () => Promise<string>, owned: Disposer) {
    this.media = media;
    this.#link = link;
    this.#owned = owned;
  }

  static async open(engine: LiveSwapEngine): Promise<LivePlace> {
    const owned = new Disposer();
    const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
    owned.defer(() => rm(dataDir, { recursive: true, force: true }));
    const sandbox = owned.use(await createSandbox({ commandLimit: { requests: 100, windowMs: 5_000 } }));
    const media = owned.use(
      await createMediaServer({
        dataDir: join(dataDir, 'media'),
        port: 0,
        engines: { liveSwap: engine },
        requestsPerMinute: 10_000,
      }),
    );
    const guild = sandbox.addGuild('Bench');
    const general = guild.addTextChannel('general');
    const ada = guild.addMember('Ada');
    owned.use(
      await createMasquerade({
        discord: { token: sandbox.token, apiUrl: sandbox.apiUrl },
        attachmentHosts: [sandbox.cdnHost],
        http: { port: 0 },
        mediaApi: { baseUrl: media.baseUrl, apiKey: media.apiKey, requestsPerMinute: 10_000 },
        publicUrl: 'loopback',
        liveCodec: 'jpeg',
        dataDir,
      }),
    );
    const link = async (): Promise<string> => {
      const reply = await (
        await ada.runs('/live start', { in: general, options: { minutes: 10 } })
      ).replied();
      return /"url":"([^"]+)"/.exec(JSON.stringify(reply.components))?.[1] ?? '';
    };
    return new LivePlace(media, link, owned);
  }

  /** Returns the link to a new page for the only member. The link to the previous page stops working. */
  link(): Promise<string> {
    return this.#link();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}
