import assert from 'node:assert/strict';
import type { MediaServerOptions } from '../../../src/media-server/options.ts';
import { type UsedServer, useServer } from '../use-server.ts';
import { ConsoleClient } from './console-client.ts';

export interface UsedConsole extends UsedServer {
  readonly password: string;
  /** A client that is logged in. */
  readonly client: ConsoleClient;
}

/** Starts a server, and opens its console. */
export async function useConsole(options: Partial<MediaServerOptions> = {}): Promise<UsedConsole> {
  const used = await useServer(options);
  const password = used.server.admin.firstConsolePassword();
  assert(password);
  const client = new ConsoleClient(used.server.consoleUrl);
  assert.equal((await client.logIn(password)).status, 204);
  return { ...used, password, client };
}
