import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../db/database.ts';
import { Disposer } from '../../../src/base/disposer.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { CpuVoiceSwap } from '../../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import { COMMAND_LIMIT } from '../../../src/program/roles/sandbox.ts';
import { type Sandbox, createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { trustCertificate } from '../../../src/sandbox/voice/trust-certificate.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { TestEngine } from '../../media-server/test-engine.ts';
import { BotProcess } from './bot-process.ts';

/** More than the test can spend or hold. */
const BUDGET = parseUsd('100000');
/** The longest session that can be requested. */
export const SESSION_MINUTES = 120;
const NO_CHANGE = 'no-change';
const PATIENCE = { timeoutMs: 30_000 };

/** A voice channel with a bot that passes a member's speech through unchanged. All parts are real. */
export class SoakPlace implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly db: Database;
  readonly bot: BotProcess;
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  readonly hall: SandboxChannel;
  /** The member who starts the session. */
  readonly speaker: SandboxMember;
  readonly listener: SandboxMember;
  readonly #owned: Disposer;

  private constructor(owned: Disposer, parts: Parts) {
    this.#owned = owned;
    this.sandbox = parts.sandbox;
    this.media = parts.media;
    this.db = parts.db;
    this.bot = parts.bot;
    this.guild = parts.guild;
    this.general = parts.general;
    this.hall = parts.hall;
    this.speaker = this.guild.addMember('Speaker');
    this.listener = this.guild.addMember('Listener');
  }

  static async open(): Promise<SoakPlace> {
    const owned = new Disposer();
    try {
      return await open(owned, (parts) => new SoakPlace(owned, parts));
    } catch (error) {
      await owned[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The bot's user at Discord. */
  get botUser(): { readonly id: string } {
    const bot = [...this.guild.entity.members.values()].find(({ user }) => user.bot);
    if (!bot) throw new Error('The bot is not in the guild');
    return bot.user;
  }

  /** Starts the session, and waits until the bot is in the channel and the speaker's line is open. */
  async begin(): Promise<void> {
    const { speaker, listener, hall, general } = this;
    for (const member of [listener, speaker]) member.voice.joins(hall);
    const options = { voice: NO_CHANGE, minutes: SESSION_MINUTES };
    const use = await speaker.runs('/voice start', { in: general, options });
    await speaker.presses('I agree', { on: await use.replied(PATIENCE) });
    await general.messageWhere(({ text }) => text.includes(' · on, ends '), PATIENCE);
  }

  /** Makes the bot stop listening to the speaker, so that the service has nothing open. */
  async pause(): Promise<void> {
    const use = await this.speaker.runs('/voice leave', { in: this.general });
    await use.replied(PATIENCE);
  }

  /** Makes the bot listen to the speaker again. */
  async resume(): Promise<void> {
    const options = { voice: NO_CHANGE };
    const use = await this.speaker.runs('/voice join', { in: this.general, options });
    await use.replyWhere(({ text }) => text.includes('You are in it'), PATIENCE);
  }

  /** Returns the number of sessions that the service has open. */
  async openSessions(): Promise<number> {
    const response = await fetch(new URL('/metrics', this.media.baseUrl));
    const line = /^media_server_sessions (\d+)$/m.exec(await response.text());
    if (!line) throw new Error('The service does not report how many sessions are open');
    return Number(line[1]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}

type Parts = Pick<SoakPlace, 'sandbox' | 'media' | 'db' | 'bot' | 'guild' | 'general' | 'hall'>;

async function open(owned: Disposer, make: (parts: Parts) => SoakPlace): Promise<SoakPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-soak-'));
  owned.defer(() => rm(dataDir, { recursive: true, force: true }));
  const voiceSwap = owned.use(await CpuVoiceSwap.start());
  const media = owned.use(
    await createMediaServer({
      dataDir: join(dataDir, 'media-server'),
      requestsPerMinute: 100_000,
      openingBalance: BUDGET,
      engines: { photoSwap: new TestEngine(), voiceSwap },
    }),
  );
  const sandbox = owned.use(await createSandbox({ commandLimit: COMMAND_LIMIT }));
  owned.use(trustCertificate(sandbox.caPem));
  const guild = sandbox.addGuild('Radio club');
  const [general, hall] = [guild.addTextChannel('general'), guild.addVoiceChannel('Hall')];
  const databaseUrl = databaseUrlIn(dataDir);
  const { token, apiUrl, cdnHost } = sandbox;
  const { baseUrl, apiKey, signingSecret } = media;
  const bot = owned.use(
    await BotProcess.start(sandbox, {
      token,
      apiUrl,
      cdnHost,
      baseUrl,
      apiKey,
      signingSecret,
      dataDir,
      databaseUrl,
      budgetMicros: BUDGET,
    }),
  );
  const db = owned.use(await openDatabase({ url: databaseUrl }));
  return make({ sandbox, media, db, bot, guild, general, hall });
}
