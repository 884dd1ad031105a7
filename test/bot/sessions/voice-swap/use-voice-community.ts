import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { MasqueradeOptions } from '../../../../src/compose/masquerade-options.ts';
import { OpusSpeechEncoder } from '../../../../src/audio/opus-speech-encoder.ts';
import type { SandboxChannel } from '../../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust-certificate.ts';
import { ScalingVoices } from '../../../media-server/sessions/stream-engines.ts';
import { TestEngine } from '../../../media-server/test-engine.ts';
import type { LockstepClock } from '../../../helpers/lockstep-clock.ts';
import { type PlaceTime, REAL_TIME } from '../../../helpers/place-time.ts';
import { useLockstepClock } from '../../../helpers/use-lockstep-clock.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import {
  type Community,
  type CommunityOptions,
  useCommunityWithoutBot,
} from '../../../helpers/use-community.ts';

export interface VoiceCommunity extends Community {
  /** A voice channel with Ada and Ben in it. */
  readonly hall: SandboxChannel;
  readonly ben: SandboxMember;
  /** The media service's voice engine, which counts its open streams. */
  readonly voices: ScalingVoices;
  /** How the test waits. */
  readonly time: PlaceTime;
}

/** A community whose sandbox, bot and media service share one clock, which the test advances. */
export interface SimulatedVoiceCommunity extends VoiceCommunity {
  readonly time: LockstepClock;
}

/** Very long, because WebSocket clients send heartbeats in real time, which is far slower than the simulated time. */
const HEARTBEAT_MS = 86_400_000;

/**
 * Creates a community in simulated time. Its media service converts voices, and two members are in a voice
 * channel.
 */
export async function useVoiceCommunity(options: CommunityOptions = {}): Promise<SimulatedVoiceCommunity> {
  const time = await useLockstepClock();
  const place = await useVoiceCommunityWithoutBot(onClock(time, options));
  const bot = await time.during(createMasquerade(place.botOptions));
  onTestFinished(() => bot[Symbol.asyncDispose]());
  // The parts of the community may need time to pass while they shut down.
  onTestFinished(() => void time.run());
  return { ...place, bot, time };
}

/** Returns community options that make all parts use this clock. */
export function onClock(clock: LockstepClock, options: CommunityOptions): CommunityOptions {
  const heartbeatIntervalMs = HEARTBEAT_MS;
  return {
    ...options,
    bot: (usual) => withChanges({ ...usual, clock }, options.bot),
    media: { clock, ...options.media },
    sandbox: {
      clock,
      wireClock: clock,
      heartbeatIntervalMs,
      voice: { heartbeatIntervalMs },
      ...options.sandbox,
    },
  };
}

/** Creates a voice community in real time and without a bot, for tests that run the bot in another process. */
export async function useVoiceCommunityWithoutBot(
  options: CommunityOptions = {},
): Promise<Omit<VoiceCommunity, 'bot'>> {
  const voices = new ScalingVoices();
  const engines = { photoSwap: new TestEngine(), voiceSwap: voices };
  const voiceNoticeFile = await useShortNotice();
  await loadOpus();
  const community = await useCommunityWithoutBot({
    ...options,
    bot: (usual) => withChanges({ ...usual, voiceNoticeFile }, options.bot),
    media: { engines, ...options.media },
  });
  const { sandbox, guild, ada } = community;
  const trust = trustCertificate(sandbox.caPem);
  onTestFinished(() => trust[Symbol.dispose]());
  const hall = guild.addVoiceChannel('Hall');
  const ben = guild.addMember('Ben');
  for (const member of [ada, ben]) member.voice.joins(hall);
  return { ...community, hall, ben, voices, time: REAL_TIME };
}

/** Loads the codec in advance, because loading takes real time, during which no simulated time should pass. */
export async function loadOpus(): Promise<void> {
  using _encoder = await OpusSpeechEncoder.open();
}

function withChanges(usual: MasqueradeOptions, changes: CommunityOptions['bot']): MasqueradeOptions {
  return typeof changes === 'function' ? changes(usual) : { ...usual, ...changes };
}

/** Starts a session in the hall as Ada, by default with the voice `voice:mirror`. Returns the private reply. */
export async function starts(
  { ada, general, time }: Pick<VoiceCommunity, 'ada' | 'general' | 'time'>,
  options: Record<string, string | number> = {},
): Promise<MessageView> {
  const use = await ada.runs('/voice start', { in: general, options: { voice: 'voice:mirror', ...options } });
  return await time.during(use.replied());
}

/** Returns the private reply to a member's `/voice …` command. */
export async function voice(
  who: SandboxMember,
  { general, time }: VoiceCommunity,
  subcommand: string,
  options: NonNullable<Parameters<SandboxMember['runs']>[1]['options']> = {},
): Promise<string> {
  const use: UseOfBot = await who.runs(`/voice ${subcommand}`, { in: general, options });
  const reply = await time.during(use.replied());
  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.mentions).toEqual([]);
  return reply.text;
}

export function panelIn({
  general,
  time = REAL_TIME,
}: Pick<VoiceCommunity, 'general'> & Partial<Pick<VoiceCommunity, 'time'>>): Promise<MessageView> {
  return time.during(general.messageWhere(({ text }) => text.includes('Voice conversion')));
}

/** Creates a session that Ada has started. She has consented, and the bot has connected her to the service. */
export async function useTalk(
  options: CommunityOptions = {},
): Promise<SimulatedVoiceCommunity & { readonly panel: MessageView }> {
  const place = await useVoiceCommunity(options);
  const { ada, time } = place;
  const asked = await starts(place);
  await ada.presses('I agree', { on: asked });
  // Waits until the bot has connected Ada, which it does only once the service has room.
  await time.until(async () => expect(await voice(ada, place, 'status')).toContain('on, ends'), {
    everyMs: 100,
  });
  return { ...place, panel: await panelIn(place) };
}

/** Returns the path of a file with only the first second of the notice, so that tests do not play all of it. */
export async function useShortNotice(): Promise<string> {
  const whole = await readFile(
    new URL('../../../../src/bot/sessions/voice-swap/desk/voice-notice.ogg', import.meta.url),
  );
  const pages = [...whole.toString('latin1').matchAll(/OggS/g)].map(({ index }) => index);
  const path = join(await useFolder(), 'notice.ogg');
  await writeFile(path, whole.subarray(0, pages[3]));
  return path;
}
