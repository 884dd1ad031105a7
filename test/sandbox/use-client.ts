import { Client, type ClientOptions, GatewayIntentBits } from 'discord.js';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/**
 * Creates an unmodified discord.js client for the sandbox, logged in and ready; it is destroyed after the
 * test.
 */
export async function useClient(
  sandbox: Sandbox,
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = newClient(sandbox, options);
  const ready = new Promise<Client<true>>((resolve) => client.once('clientReady', resolve));
  await client.login(sandbox.token);
  return ready;
}

/** Creates an unmodified discord.js client for the sandbox without logging it in. */
export function newClient(sandbox: Sandbox, options: Partial<ClientOptions> = {}): Client {
  const cdn = `http://${sandbox.cdnHost}`;
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.GuildVoiceStates],
    ...options,
    rest: { api: sandbox.apiUrl, cdn, mediaProxy: cdn, ...options.rest },
  });
  onTestFinished(() => client.destroy());
  return client;
}
