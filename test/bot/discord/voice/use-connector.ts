import type { Client } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { DiscordVoiceConnector } from '../../../../src/bot/discord/voice/discord-voice-connector.ts';
import type { VoiceOptions } from '../../../../src/sandbox/sandbox-options.ts';
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import { encodeSpeech } from '../../../../src/sandbox/voice/speech.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust-certificate.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { useSandbox } from '../../../helpers/use-sandbox.ts';
import { useOwnClient } from '../use-bot.ts';
import type { EndpointEvent, VoiceEndpoint } from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';
import type { VoicePlace } from '../../../../src/bot/sessions/voice-swap/voice-connector.ts';

/** Real time whose monotonic part a test can set ahead or stop; timers run as usual. */
export class AheadClock implements Clock {
  aheadMs = 0;
  #stoodAtMs: number | undefined;

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return (this.#stoodAtMs ?? systemClock.monotonic()) + this.aheadMs;
  }

  /** Stops the monotonic time until the returned value is disposed. */
  stand(): Disposable {
    this.#stoodAtMs = systemClock.monotonic();
    return { [Symbol.dispose]: () => void (this.#stoodAtMs = undefined) };
  }

  after(...timer: Parameters<Clock['after']>): ReturnType<Clock['after']> {
    return systemClock.after(...timer);
  }
}

/** A guild with a voice channel, Ada and Ben outside of it, and a connector for the bot. */
export interface VoiceClub {
  readonly sandbox: Sandbox;
  readonly guild: SandboxGuild;
  readonly lounge: SandboxChannel;
  readonly ada: SandboxMember;
  readonly ben: SandboxMember;
  readonly client: Client<true>;
  readonly connector: DiscordVoiceConnector;
  /** The bot as a speaker. */
  readonly bot: { readonly id: string };
  readonly place: VoicePlace;
  /** All log messages. */
  readonly logged: readonly string[];
}

/**
 * Connects the real discord.js and @discordjs/voice to a sandbox, in a process that trusts its certificate.
 */
export async function useVoiceClub(
  options: { readonly voice?: VoiceOptions; readonly clock?: Clock; readonly joinTimeoutMs?: number } = {},
): Promise<VoiceClub> {
  const { voice = {}, clock = systemClock, ...rest } = options;
  const sandbox = await useSandbox({ voice });
  const trust = trustCertificate(sandbox.caPem);
  onTestFinished(() => trust[Symbol.dispose]());
  const guild = sandbox.addGuild('Film club');
  const lounge = guild.addVoiceChannel('Lounge');
  const [ada, ben] = [guild.addMember('Ada'), guild.addMember('Ben')];
  const { client } = await useOwnClient(sandbox);
  const logged: string[] = [];
  const connector = new DiscordVoiceConnector({ client, clock, log: recordingLogger(logged), ...rest });
  onTestFinished(() => connector[Symbol.asyncDispose]());
  const place = { guildId: guild.id, channelId: lounge.id };
  const bot = { id: client.user.id };
  return { sandbox, guild, lounge, ada, ben, client, connector, bot, place, logged };
}

/** Collects the events of an endpoint from now on. */
export function eventsOf(endpoint: VoiceEndpoint): EndpointEvent[] {
  const events: EndpointEvent[] = [];
  endpoint.onEvent((event) => events.push(event));
  return events;
}

/** Collects the packets of a member from now on. */
export function packetsOf(endpoint: VoiceEndpoint, member: { readonly id: string }): SpeechPacket[] {
  const packets: SpeechPacket[] = [];
  endpoint.hear(member.id, (packet) => packets.push(packet));
  return packets;
}

/** Returns Opus packets of a tone, each of 20 ms. */
export async function toneFrames(frames: number): Promise<readonly Uint8Array[]> {
  const speech = await encodeSpeech(tone(440, frames * 20));
  return speech.frames;
}

/** Resolves with the reason when the endpoint has ended. */
export async function endOf(events: readonly EndpointEvent[]): Promise<string> {
  const find = (): string | undefined => events.find((event) => event.kind === 'ended')?.reason;
  await expect.poll(find).toBeDefined();
  return find() ?? '';
}
