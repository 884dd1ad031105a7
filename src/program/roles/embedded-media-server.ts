import { join } from 'node:path';
import { Disposer } from '../../base/disposer.ts';
import type { ServerFaults } from '../../media-server/server-faults.ts';
import type { RoleContext } from './role.ts';

/** A running media server with its engine, on the port that the settings name. */
export interface EmbeddedMediaServer extends AsyncDisposable {
  /** The API's base URL, including `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signingSecret: string;
  /** Faults that the chat page can cause. */
  readonly faults: ServerFaults;
  /** The address of the console page; null if no pages were built. */
  readonly consoleUrl: string | null;
  /** Returns the console password on the first call for this data folder, and undefined on every later call. */
  firstConsolePassword(): string | undefined;
}

/** Starts a media server that renders on this machine's processor. Its files are in `DATA_DIR/media-server`. */
export async function startMediaServer({ settings, log }: RoleContext): Promise<EmbeddedMediaServer> {
  const { createCpuEngines } = await import('../../media-server/engine/cpu/cpu-engines.ts');
  const { createMediaServer } = await import('../../media-server/server.ts');
  const owned = new Disposer();
  try {
    const { mediaServer, storage, mediaApi } = settings;
    const { ffmpeg } = mediaServer;
    const engines = owned.use(
      await createCpuEngines({ logger: log, ...(ffmpeg === null ? {} : { ffmpeg }) }),
    );
    const server = owned.use(
      await createMediaServer({
        dataDir: join(storage.dataDir, 'media-server'),
        engines,
        port: mediaServer.port,
        requestsPerMinute: mediaServer.requestsPerMinute,
        headerPrefix: mediaApi.headerPrefix,
        consoleOrigins: mediaServer.consoleOrigins,
        logger: log.child({ part: 'media-server' }),
        ...(mediaServer.apiKey === null ? {} : { apiKey: mediaServer.apiKey }),
        ...(mediaServer.signingSecret === null ? {} : { signingSecret: mediaServer.signingSecret }),
      }),
    );
    const { baseUrl, apiKey, signingSecret, consoleUrl, faults, admin } = server;
    return {
      baseUrl,
      apiKey,
      signingSecret,
      faults,
      consoleUrl,
      firstConsolePassword: () => admin.firstConsolePassword(),
      [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
    };
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}

/** On the first start, shows the console password. After that, the password exists only as a hash. */
export function showConsolePassword({ notify }: RoleContext, server: EmbeddedMediaServer): void {
  if (server.consoleUrl === null) return;
  const password = server.firstConsolePassword();
  if (password === undefined) return;
  notify(
    `\nThe media server's console is at ${server.consoleUrl}\nIts password, shown only now: ${password}\n` +
      'Lost it? "npm run console -- password" makes a new one.\n\n',
  );
}
