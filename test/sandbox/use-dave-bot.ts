import { EndBehaviorType, type VoiceConnection } from '@discordjs/voice';
import { expect } from 'vitest';
import { sleep, systemClock } from '../../src/base/clock.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import { type OpusSpeech, encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { tone } from './use-voice.ts';

const FRAME_MS = 20;
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** Returns a growing list of the frames that a bot hears from a member, as hex and without silence. */
export function listen(connection: VoiceConnection, member: SandboxMember): string[] {
  const heard: string[] = [];
  const stream = connection.receiver.subscribe(member.id, { end: { behavior: EndBehaviorType.Manual } });
  stream.on('error', () => undefined);
  stream.on('data', (frame: Buffer) => {
    if (!frame.equals(SILENCE)) heard.push(frame.toString('hex'));
  });
  return heard;
}

export function hexOf({ frames }: OpusSpeech): string[] {
  return frames.map((frame) => Buffer.from(frame).toString('hex'));
}

/** Has a bot speak in real time. */
export async function say(connection: VoiceConnection, { frames }: OpusSpeech): Promise<void> {
  const startMs = systemClock.monotonic();
  for (const [index, frame] of frames.entries()) {
    await sleep(systemClock, startMs + index * FRAME_MS - systemClock.monotonic());
    connection.playOpusPacket(Buffer.from(frame));
  }
}

/** Returns how many frames of `said` are missing from `heard`, and how many were heard without being said. */
export function differences(
  said: readonly string[],
  heard: readonly string[],
): { lost: number; foreign: number } {
  const known = new Set(heard);
  const own = new Set(said);
  return {
    lost: said.filter((frame) => !known.has(frame)).length,
    foreign: heard.filter((frame) => !own.has(frame)).length,
  };
}

/** Waits until a bot and members have the same keys. Returns the privacy code that they all see. */
export async function agreed(
  connection: VoiceConnection,
  ...members: readonly SandboxMember[]
): Promise<string> {
  const codes = (): string[] => [
    ...new Set([connection.voicePrivacyCode ?? '', ...members.map(({ voice }) => voice.privacyCode)]),
  ];
  await expect.poll(codes).toEqual([expect.stringMatching(/^\d{30}$/)]);
  return connection.voicePrivacyCode ?? '';
}

/** Returns sound in which every frame is different. */
export function sweep(fromHz: number, durationMs: number): Int16Array {
  const samples = tone(fromHz, durationMs);
  return samples.map((sample, index) => Math.round((sample * (index + 1000)) / (samples.length + 1000)));
}

/**
 * Has a member speak silence, so that the bot learns the member's SSRC before real speech begins: the first UDP
 * packet may overtake the message that announces the SSRC.
 */
export async function makeKnown({ voice }: SandboxMember): Promise<void> {
  await voice.speaks({ frames: [] });
}

/** Has a member say a short word, and waits until it reaches the bot. */
export async function hears(connection: VoiceConnection, member: SandboxMember): Promise<void> {
  const heard = listen(connection, member);
  await makeKnown(member);
  const word = await encodeSpeech(sweep(440, 100));
  await member.voice.speaks(word);
  await expect.poll(() => heard).toEqual(hexOf(word));
}
