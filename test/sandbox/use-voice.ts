import {
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionStatus,
  entersState,
  joinVoiceChannel,
} from '@discordjs/voice';
import type { Client } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import { trustCertificate } from '../../src/sandbox/voice/trust-certificate.ts';
import { useClient } from './use-client.ts';

export const RATE_HZ = 48_000;

export interface VoiceScene {
  readonly guild: SandboxGuild;
  readonly lounge: SandboxChannel;
  readonly ada: SandboxMember;
  readonly ben: SandboxMember;
  readonly client: Client<true>;
  /** The bot's user, which identifies the bot as a speaker. */
  readonly bot: { readonly id: string };
}

/**
 * Creates a guild with a voice channel, two members who are not in the channel, and a client that trusts the sandbox's
 * certificate.
 */
export async function useVoiceScene(sandbox: Sandbox): Promise<VoiceScene> {
  const trust = trustCertificate(sandbox.caPem);
  onTestFinished(() => trust[Symbol.dispose]());
  const guild = sandbox.addGuild('Film club');
  const lounge = guild.addVoiceChannel('Lounge');
  const [ada, ben] = [guild.addMember('Ada'), guild.addMember('Ben')];
  const client = await useClient(sandbox);
  return { guild, lounge, ada, ben, client, bot: { id: client.user.id } };
}

export interface JoinOptions {
  readonly selfDeaf?: boolean;
  readonly group?: string;
  readonly daveEncryption?: boolean;
}

/** Has the real @discordjs/voice join a channel, and does not wait until it has joined. It leaves after the test. */
export function startJoin(
  client: Client<true>,
  channel: SandboxChannel,
  options: JoinOptions = {},
): VoiceConnection {
  const guild = client.guilds.cache.get(channel.entity.guildId ?? '');
  if (!guild) throw new Error('Cannot join: the client does not know the guild');
  const connection = joinVoiceChannel({
    guildId: guild.id,
    channelId: channel.id,
    selfDeaf: false,
    adapterCreator: guild.voiceAdapterCreator,
    ...options,
  });
  connection.on('error', () => undefined);
  onTestFinished(() => {
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
  });
  return connection;
}

/** Joins, and waits until the connection is ready and, unless the bot is alone in the call, has the call's keys. */
export async function join(
  client: Client<true>,
  channel: SandboxChannel,
  options: JoinOptions = {},
): Promise<VoiceConnection> {
  const connection = startJoin(client, channel, options);
  await entersState(connection, VoiceConnectionStatus.Ready, 10_000);
  await expect.poll(() => hasKeys(connection)).toBe(true);
  return connection;
}

function hasKeys({ state }: VoiceConnection): boolean {
  if (state.status !== VoiceConnectionStatus.Ready) return false;
  const { state: networking } = state.networking;
  if (networking.code !== NetworkingStatusCode.Ready) return false;
  const { dave, connectionData } = networking;
  const needsNone = !dave || dave.protocolVersion === 0 || connectionData.connectedClients.size === 0;
  return needsNone || dave.session?.ready === true;
}

/** Creates a tone at half of full scale, 48 kHz mono. */
export function tone(frequencyHz: number, durationMs: number): Int16Array {
  return Int16Array.from({ length: (durationMs * RATE_HZ) / 1000 }, (_, index) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * frequencyHz * index) / RATE_HZ)),
  );
}
