import type { Client } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { DiscordVoiceConnector } from '../../../../src/bot/discord/voice/discord-voice-connector.ts';
import type { SandboxOptions, VoiceOptions } from '../../../../src/sandbox/sandbox-options.ts';
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import { encodeSpeech } from '../../../../src/sandbox/voice/speech.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust-certificate.ts';
import type { LockstepClock } from '../../../helpers/lockstep-clock.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useLockstepClock } from '../../../helpers/use-lockstep-clock.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { useSandbox } from '../../../helpers/use-sandbox.ts';
import { useOwnClient } from '../use-bot.ts';
import type { EndpointEvent, VoiceEndpoint } from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';
import type { VoicePlace } from '../../../../src/bot/sessions/voice-swap/voice-connector.ts';

/** A real-time clock whose monotonic time a test can move forward or stop; timers run as usual. */
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

/** A guild with a voice channel, with Ada and Ben not in that channel, and a connector for the bot. */
export interface VoiceClub {
  readonly sandbox: Sandbox;
  readonly guild: SandboxGuild;
  readonly lounge: SandboxChannel;
  readonly ada: SandboxMember;
  readonly ben: SandboxMember;
  readonly client: Client<true>;
  readonly connector: DiscordVoiceConnector;
  /** The bot as a speaker: an object with its user id. */
  readonly bot: { readonly id: string };
  readonly place: VoicePlace;
  /** All log messages. */
  readonly logged: readonly string[];
}

interface VoiceClubOptions {
  readonly voice?: VoiceOptions;
  /** The connector's clock. Default: real time. */
  readonly clock?: Clock;
  readonly joinTimeoutMs?: number;
  readonly sandbox?: SandboxOptions;
}

/** A club in simulated time. */
interface SimulatedVoiceClub extends VoiceClub {
  readonly time: LockstepClock;
  /** Has the bot join the voice channel. */
  readonly join: () => Promise<VoiceEndpoint>;
}

/**
 * A day, so that no heartbeat is due during a test. Clients send heartbeats in real time, but the sandbox expects them
 * in simulated time.
 */
const HEARTBEAT_MS = 86_400_000;

/** Creates a club whose sandbox and connector share one clock, which the test advances. */
export async function useSimulatedVoiceClub(): Promise<SimulatedVoiceClub> {
  const time = await useLockstepClock();
  const club = await time.during(
    useVoiceClub({
      clock: time,
      voice: { heartbeatIntervalMs: HEARTBEAT_MS },
      sandbox: { clock: time, wireClock: time, heartbeatIntervalMs: HEARTBEAT_MS },
    }),
  );
  // Objects that are closed at the end of the test may have to wait for simulated time to pass.
  onTestFinished(() => void time.run());
  return { ...club, time, join: () => time.during(club.connector.join(club.place)) };
}

/**
 * Connects the real discord.js and @discordjs/voice to a sandbox, in a process that trusts its certificate.
 */
export async function useVoiceClub(options: VoiceClubOptions = {}): Promise<VoiceClub> {
  const { voice = {}, clock = systemClock, sandbox: sandboxOptions, ...rest } = options;
  const sandbox = await useSandbox({ ...sandboxOptions, voice });
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

/** Starts to collect an endpoint's events. */
export function eventsOf(endpoint: VoiceEndpoint): EndpointEvent[] {
  const events: EndpointEvent[] = [];
  endpoint.onEvent((event) => events.push(event));
  return events;
}

/** Starts to collect a member's packets. */
export function packetsOf(endpoint: VoiceEndpoint, member: { readonly id: string }): SpeechPacket[] {
  const packets: SpeechPacket[] = [];
  endpoint.hear(member.id, (packet) => packets.push(packet));
  return packets;
}

/** Returns 20 ms Opus packets of a tone. */
export async function toneFrames(frames: number): Promise<readonly Uint8Array[]> {
  const speech = await encodeSpeech(tone(440, frames * 20));
  return speech.frames;
}

/** Waits until the endpoint has ended, and returns the reason. */
export async function endOf(events: readonly EndpointEvent[]): Promise<string> {
  const find = (): string | undefined => events.find((event) => event.kind === 'ended')?.reason;
  await expect.poll(find).toBeDefined();
  return find() ?? '';
}
