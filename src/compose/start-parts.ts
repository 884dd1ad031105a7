import { type Client, Events } from 'discord.js';
import { ServiceError } from '../base/errors.ts';
import type { Dispatch } from '../bot/discord/interactions/dispatch.ts';
import type { Basics } from './basics.ts';
import type { BotParts } from './build-parts.ts';
import { publishCommands } from './publish-commands.ts';

/** The bot was disposed before it was ready. */
class BotError extends ServiceError<'disposed'> {}

interface StartedParts extends BotParts {
  readonly dispatch: Dispatch;
}

/**
 * Starts the parts as soon as the client is ready, and resolves when the commands are published. On disposal, startup
 * is aborted, and the parts are disposed once startup has ended.
 */
export function startParts(basics: Basics, parts: StartedParts): Promise<void> {
  const { owned, log } = basics;
  const { discord, dispatch, jobs, sessions, people, alerts, operator, reconciliation } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    const readyClient = await whenReady(discord.client, signal);
    await jobs.start(signal);
    sessions.paid.start();
    sessions.voice.begin();
    people.members.start();
    alerts.budgets.start();
    alerts.overruns.start();
    operator.start();
    reconciliation.start();
    await publishCommands(basics, readyClient, dispatch, signal);
  };
  const ready = run().catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  const ended = ready.catch((error: unknown) => {
    if (!signal.aborted) log.error({ error }, 'Cannot start');
  });
  owned.defer(() => {
    stopping.abort(new BotError('disposed', 'Cannot start: the bot was disposed'));
    return ended;
  });
  // Open sessions cost money, so they close before anything else, however long the rest takes.
  owned.defer(() => sessions.paid.opener[Symbol.asyncDispose]());
  return ready;
}

/** Waits until the host has logged in, without a time limit, or until the signal aborts. */
function whenReady(client: Client, signal: AbortSignal): Promise<Client<true>> {
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
