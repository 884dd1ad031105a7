import { onTestFinished } from 'vitest';
import type { MediaServerOptions } from '../../src/media-server/options.ts';
import { type MediaServer, createMediaServer } from '../../src/media-server/server.ts';
import { ApiClient } from './api-client.ts';
import { TestEngine } from './test-engine.ts';
import { useFolder } from '../helpers/use-folder.ts';

export interface UsedServer {
  readonly server: MediaServer;
  readonly engine: TestEngine;
  readonly dataDir: string;
  /** A client with the embedded account's key. */
  readonly api: ApiClient;
  /** Stops the server and starts another one on the same data. */
  restart(options?: Partial<MediaServerOptions>): Promise<UsedServer>;
}

/** Starts a server in a new folder on a free port; when the test ends, it stops and the folder is removed. */
export async function useServer(options: Partial<MediaServerOptions> = {}): Promise<UsedServer> {
  const dataDir = options.dataDir ?? (await useFolder());
  const engine = new TestEngine();
  const server = await createMediaServer({
    requestsPerMinute: 100_000,
    ...options,
    dataDir,
    engines: options.engines ?? { photoSwap: engine },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return {
    server,
    engine,
    dataDir,
    api: new ApiClient(server.baseUrl, server.apiKey),
    async restart(changes = {}) {
      await server[Symbol.asyncDispose]();
      return await useServer({ ...options, ...changes, dataDir });
    },
  };
}
