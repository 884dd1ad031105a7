import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { COMMAND_DEFINITIONS } from '../../commands/all.ts';
import { createMasquerade } from '../../src/compose/create-masquerade.ts';
import { createLogger } from '../../src/base/log.ts';
import type { MediaServerOptions } from '../../src/media-server/options.ts';
import type { MediaServer } from '../../src/media-server/server.ts';
import type { Masquerade, MasqueradeOptions } from '../../src/compose/masquerade-options.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import type { TestEngine } from '../media-server/test-engine.ts';
import { useDatabaseUrl } from '../db/use-database.ts';
import { useServer } from '../media-server/use-server.ts';
import { MANY_COMMANDS, useSandbox } from './use-sandbox.ts';
import { sharedCharts } from './shared-charts.ts';
import { sharedMediaPool } from './use-media-pool.ts';
import { useFolder } from './use-folder.ts';

export interface CommunityOptions {
  /** Changes to the bot's options. */
  readonly bot?: Partial<MasqueradeOptions> | ((usual: MasqueradeOptions) => MasqueradeOptions);
  readonly media?: Partial<MediaServerOptions>;
  readonly sandbox?: SandboxOptions;
  /** Whether the bot has never run before and has yet to publish its commands. Default: false. */
  readonly isFirstStart?: boolean;
}

/** A guild with one channel and one member, the media service, and the bot, all real and on loopback. */
export interface Community {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly engine: TestEngine;
  readonly bot: Masquerade;
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  readonly ada: SandboxMember;
  readonly dataDir: string;
  /** The bot's options, with which a test can start the bot again. */
  readonly botOptions: MasqueradeOptions;
}

/** Starts all parts; they end with the test. */
export async function useCommunity(options: CommunityOptions = {}): Promise<Community> {
  const place = await useCommunityWithoutBot(options);
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  return { ...place, bot };
}

export async function useCommunityWithoutBot(
  options: CommunityOptions = {},
): Promise<Omit<Community, 'bot'>> {
  const dataDir = await useFolder();
  const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS, ...options.sandbox });
  // Most tests begin with published commands: publishing takes longer than the rest of the bot's startup.
  if (!options.isFirstStart) for (const definition of COMMAND_DEFINITIONS) sandbox.addCommand(definition);
  const { server: media, engine } = await useServer(options.media);
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const usual: MasqueradeOptions = {
    discord: { token: sandbox.token, apiUrl: sandbox.apiUrl },
    attachmentHosts: [sandbox.cdnHost],
    http: { port: 0 },
    mediaApi: {
      baseUrl: media.baseUrl,
      apiKey: media.apiKey,
      signingSecrets: [media.signingSecret],
      requestsPerMinute: 100_000,
    },
    publicUrl: 'loopback',
    dataDir,
    databaseUrl: await useDatabaseUrl(`${dataDir}/masquerade.db`),
    mediaPool: sharedMediaPool(),
    charts: sharedCharts(),
    logger: createLogger('error'),
  };
  const botOptions = typeof options.bot === 'function' ? options.bot(usual) : { ...usual, ...options.bot };
  return { sandbox, media, engine, guild, general, ada, dataDir, botOptions };
}

/** Returns a sample from `test/samples`, as a member would attach it. */
export async function sample(name: string): Promise<{ name: string; bytes: Uint8Array }> {
  return { name, bytes: await readFile(join(import.meta.dirname, '../samples', name)) };
}
