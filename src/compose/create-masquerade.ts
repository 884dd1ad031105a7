import { HANDLERS } from '../../commands/all.ts';
import { systemClock } from '../base/clock.ts';
import { Disposer } from '../base/disposer.ts';
import { silentLogger } from '../base/log.ts';
import { Dispatch } from '../bot/discord/interactions/dispatch.ts';
import type { Readiness } from '../bot/web/register-health.ts';
import type { Basics } from './basics.ts';
import { buildParts } from './build-parts.ts';
import { checkReadiness } from './check-readiness.ts';
import { commandServices } from './command-services.ts';
import { connectParts } from './connect-parts.ts';
import type { Masquerade, MasqueradeOptions } from './masquerade-options.ts';
import { startParts } from './start-parts.ts';

/**
 * Builds the bot from its parts and starts it. If it creates its own Discord client, that client is logged in when this
 * function returns. If a part cannot be opened, throws a `ServiceError` with a one-line message and closes the parts
 * that were already open.
 */
export async function createMasquerade(options: MasqueradeOptions): Promise<Masquerade> {
  const { clock = systemClock, logger: log = silentLogger } = options;
  const owned = new Disposer();
  try {
    return await open({ options, owned, clock, log });
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}

/** Builds the parts, connects them, logs in, serves the web routes, and starts the work. */
async function open(basics: Basics): Promise<Masquerade> {
  const { owned, clock, log } = basics;
  const parts = await buildParts(basics);
  connectParts(parts);
  const { db, web, addresses, discord, stage, money, jobs, sessions, reconciliation } = parts;
  const { client } = discord;
  const services = commandServices(parts);
  const dispatch = owned.use(new Dispatch({ client, ...HANDLERS, services, clock, log }));

  const readiness = (): Promise<Readiness> => checkReadiness({ db, client, jobs });
  await discord.login?.();
  await stage?.login?.();
  // Routes cannot be removed from a host's server, so they are added only after everything else that may fail.
  await web.serve({ jobs, liveSwap: sessions.liveSwap, memberUrl: addresses.memberUrl, readiness });
  const ready = startParts(basics, { ...parts, dispatch });
  if (discord.login) await ready;

  return {
    client,
    webUrl: web.url,
    ready,
    budget: money.budget,
    reconciliation,
    readiness,
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}
