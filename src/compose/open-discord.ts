import { type Client, Events, Status } from 'discord.js';
import { createClient } from '../bot/discord/wire/client.ts';
import type { Dispatch } from '../bot/discord/interactions/dispatch.ts';
import {
  type RegistrationOptions,
  findRegistered,
  registerCommands,
} from '../bot/discord/wire/registration.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';
import { COMMAND_DEFINITIONS } from '../../commands/all.ts';
import type { Basics } from './basics.ts';

interface DiscordPart {
  readonly client: Client;
  /** Only of a client of our own. */
  readonly login?: () => Promise<unknown>;
}

/** The client that was given, or one of our own, not logged in yet. */
export function openDiscord({ options, owned, clock, log }: Basics): DiscordPart {
  const { discord, onLost } = options;
  if ('client' in discord) {
    return { client: discord.client };
  }
  const own = owned.use(createClient({ ...discord, ...cdnOf(options), clock, log, onLost }));
  return { client: own.client, login: () => own.login() };
}

/** The client of the second bot user, at the same Discord; null without. */
export function openStage({ options, owned, clock, log }: Basics): DiscordPart | null {
  const { stage, discord } = options;
  if (!stage || 'client' in stage) return stage ?? null;
  const apiUrl = 'apiUrl' in discord && discord.apiUrl !== undefined ? { apiUrl: discord.apiUrl } : {};
  const own = owned.use(createClient({ token: stage.token, ...apiUrl, clock, log }));
  return { client: own.client, login: () => own.login() };
}

/** Where a chat elsewhere than at Discord's has members' pictures: beside the attachments. */
function cdnOf({ discord, attachmentHosts: [host] = [] }: MasqueradeOptions): { readonly cdnUrl?: string } {
  if (!('apiUrl' in discord) || discord.apiUrl === undefined || host === undefined) return {};
  return { cdnUrl: `${new URL(discord.apiUrl).protocol}//${host}` };
}

/** Waits as long as the host takes to log in, or until the signal aborts. */
export function whenReady(client: Client, signal: AbortSignal): Promise<Client<true>> {
  if (client.isReady()) return Promise.resolve(client);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      client.off(Events.ClientReady, onReady);
      reject(signal.reason);
    };
    const onReady = (readyClient: Client<true>): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(readyClient);
    };
    client.once(Events.ClientReady, onReady);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Whether every shard that this process runs has its connection. */
export function isConnected(client: Client): boolean {
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}

/**
 * Tells Discord of the commands, unless the options say otherwise; from then on only those are answered. Of several
 * processes the one with shard 0 does so: they would use up each other's few requests, and not know of it.
 */
export async function publishCommands(
  parts: Basics,
  client: Client<true>,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
  const { registerCommands: where = 'globally' } = parts.options;
  if (where === 'never') return;
  const registration: RegistrationOptions = {
    rest: client.rest,
    applicationId: client.application.id,
    commands: COMMAND_DEFINITIONS,
    clock: parts.clock,
    ...(typeof where === 'object' ? { guildId: where.guildId } : {}),
  };
  if (!client.ws.shards.has(0)) {
    const ids = await findRegistered(registration, signal);
    // Until all are published, the name decides.
    if (ids.length === COMMAND_DEFINITIONS.length) dispatch.expectIds(ids);
    return parts.log.info({ found: ids.length }, 'Commands are published by the process that runs shard 0');
  }
  const registered = await registerCommands(registration, signal);
  dispatch.expectIds(registered.map((command) => command.id));
  parts.log.info({ published: registered.length }, 'Commands are published');
  parts.log.debug({ registered }, 'Commands as published');
}
