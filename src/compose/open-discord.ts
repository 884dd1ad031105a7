import type { Client } from 'discord.js';
import { createClient } from '../bot/discord/wire/create-client.ts';
import type { Basics } from './basics.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';

export interface DiscordPart {
  readonly client: Client;
  /** Logs the client in. Present only for a client that Masquerade created. */
  readonly login?: () => Promise<unknown>;
}

/** Returns the host's client, or creates one that is not logged in yet. */
export function openDiscord({ options, owned, clock, log }: Basics): DiscordPart {
  const { discord, onLost } = options;
  if ('client' in discord) return { client: discord.client };
  const own = owned.use(createClient({ ...discord, ...cdnOf(options), clock, log, onLost }));
  return { client: own.client, login: () => own.login() };
}

/**
 * Opens the client of the second bot user, which uses the same Discord API as the first. Returns null if the options
 * contain no second bot user.
 */
export function openStage({ options, owned, clock, log }: Basics): DiscordPart | null {
  const { stage, discord } = options;
  if (!stage || 'client' in stage) return stage ?? null;
  const apiUrl = 'apiUrl' in discord && discord.apiUrl !== undefined ? { apiUrl: discord.apiUrl } : {};
  const own = owned.use(createClient({ token: stage.token, ...apiUrl, clock, log }));
  return { client: own.client, login: () => own.login() };
}

/** Returns the base URL of members' avatars. A chat other than Discord serves them from its attachment host. */
function cdnOf({ discord, attachmentHosts: [host] = [] }: MasqueradeOptions): { readonly cdnUrl?: string } {
  if (!('apiUrl' in discord) || discord.apiUrl === undefined || host === undefined) return {};
  return { cdnUrl: `${new URL(discord.apiUrl).protocol}//${host}` };
}
