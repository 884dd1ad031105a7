import { writeFile } from 'node:fs/promises';
import type { Client } from 'discord.js';
import { onTestFinished } from 'vitest';
import { photoSwap } from '../../../commands/photo-swap.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { createClient } from '../../../src/bot/discord/wire/create-client.ts';
import { Dispatch } from '../../../src/bot/discord/interactions/dispatch.ts';
import { DiscordPublisher } from '../../../src/bot/discord/cards/discord-publisher.ts';
import { registerCommands } from '../../../src/bot/discord/wire/register-commands.ts';
import type { ProgressCard, ProgressStage, ResultCard } from '../../../src/bot/jobs/cards.ts';
import type { Exchange } from '../../../src/sandbox/rest-exchange.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { BUDGET, MemoryIntake } from './use-intake.ts';
import { servicesOf } from './use-services.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const IMAGE = { name: 'holiday.jpg', bytes: new TextEncoder().encode('a picture') };
const FACE = { name: 'face.png', bytes: new TextEncoder().encode('a face') };
export const RESULT_BYTES = 'a picture with another face';

/**
 * Discord's OpenAPI description has no `resource` of types 5 and 6, but its documentation does (in the interaction
 * callback response).
 */
const DEFERRED_RESOURCE = /\/callback response 200 \/resource/;

/** A bot in the sandbox, with an in-memory intake instead of the pipeline. */
export interface Bot {
  readonly sandbox: Sandbox;
  readonly guild: SandboxGuild;
  readonly channel: SandboxChannel;
  readonly ada: SandboxMember;
  readonly client: Client<true>;
  readonly intake: MemoryIntake;
  readonly dispatch: Dispatch;
  readonly publisher: DiscordPublisher;
  /** Every REST call so far. */
  readonly exchanges: readonly Exchange[];
  /** Messages logged at `warn` and above. */
  readonly logged: readonly string[];
  /** Runs `/photo-swap` as Ada. */
  readonly swaps: () => Promise<UseOfBot>;
  /** Returns the REST calls so far that match, in the form `METHOD path`. */
  readonly calls: (matches: RegExp) => string[];
}

/** Logs a bot in to a new sandbox and registers its command. The chat and the bot use `clock`. */
export async function useBot(clock: Clock = systemClock): Promise<Bot> {
  const { sandbox, guild, channel, ada, client, log, logged, exchanges } = await useClub(clock);
  await registerCommands({
    rest: client.rest,
    applicationId: sandbox.applicationId,
    commands: [photoSwap.data],
    clock: systemClock,
  });
  const intake = new MemoryIntake();
  const dispatch = new Dispatch({ client, commands: [photoSwap], services: servicesOf(intake), clock, log });
  onTestFinished(() => dispatch[Symbol.asyncDispose]());
  const publisher = new DiscordPublisher({ client, clock, log });
  return {
    sandbox,
    guild,
    channel,
    ada,
    client,
    intake,
    dispatch,
    publisher,
    exchanges,
    logged,
    swaps: () => ada.runs('/photo-swap', { in: channel, options: { image: IMAGE, face: FACE } }),
    calls: (matches) =>
      exchanges.map(({ method, path }) => `${method} ${path}`).filter((call) => matches.test(call)),
  };
}

/** Creates a sandbox with a guild, a channel and Ada, and a client that is logged in to it. */
export async function useClub(
  clock: Clock,
): Promise<Pick<Bot, 'sandbox' | 'guild' | 'channel' | 'ada' | 'client' | 'logged'> & ClubRecord> {
  const exchanges: Exchange[] = [];
  const logged: string[] = [];
  const sandbox = await useSandbox({
    clock,
    observe: (exchange) => void exchanges.push(exchange),
    expectedDeviation: DEFERRED_RESOURCE,
  });
  const guild = sandbox.addGuild('Film club');
  const channel = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const { client } = await useOwnClient(sandbox);
  return { sandbox, guild, channel, ada, client, exchanges, logged, log: recordingLogger(logged) };
}

interface ClubRecord {
  /** Every REST call so far; tests may empty the list. */
  readonly exchanges: Exchange[];
  /** Writes to `logged`. */
  readonly log: Logger;
}

export interface LoggedIn extends AsyncDisposable {
  readonly client: Client<true>;
}

/** Creates a client with `createClient` and logs it in to the sandbox. */
export async function useOwnClient(sandbox: Sandbox): Promise<LoggedIn> {
  const parts = { clock: systemClock, log: silentLogger };
  const { token, apiUrl } = sandbox;
  const own = createClient({ ...parts, token, apiUrl, cdnUrl: `http://${sandbox.cdnHost}` });
  onTestFinished(() => own[Symbol.asyncDispose]());
  return { client: await own.login(), [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

/** Creates a bot, has Ada run its command, and waits until the job is accepted. */
export async function useAcceptedJob(clock: Clock = systemClock): Promise<Bot & { readonly use: UseOfBot }> {
  const bot = await useBot(clock);
  const use = await bot.swaps();
  await until(() => bot.intake.record.length === 2);
  return { ...bot, use };
}

/** Returns the card of a finished job with its file on disk. */
export async function useResult(bytes: string | Uint8Array = RESULT_BYTES): Promise<ResultCard> {
  const path = `${await useFolder()}/result.png`;
  await writeFile(path, bytes);
  return {
    kind: 'result',
    capability: 'photo_swap',
    file: { path, name: 'photo-swap.png', mime: 'image/png' },
    isSmaller: false,
    link: null,
    charged: micros(20_000),
    held: micros(60_000),
    startsReview: false,
    budget: BUDGET,
    tookMs: 9_000,
  };
}

export function progressAt(stage: ProgressStage, clock: Clock): ProgressCard {
  return { capability: 'photo_swap', stage, acceptedAtMs: clock.now(), price: null, typicalMs: null };
}

/** Resolves when `condition` is true. Checks once per turn of the event loop, for at most 20 s. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAtMs = systemClock.monotonic() + 20_000;
  while (!condition()) {
    if (systemClock.monotonic() > giveUpAtMs) throw new Error('The awaited condition never held');
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** Creates a promise that the test resolves. */
export function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export function recordingLogger(logged: string[]): Logger {
  const write = (fields: object, message: string): void => {
    const error = 'error' in fields && fields.error instanceof Error ? fields.error.message : '';
    const reference = 'reference' in fields ? String(fields.reference) : '';
    logged.push([message, error, reference].filter((part) => part !== '').join(' | '));
  };
  return { ...silentLogger, warn: write, error: write };
}
