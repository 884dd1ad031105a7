import { expect } from 'vitest';
import type { Place, SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';
import { ShiftedClock } from '../helpers/shifted-clock.ts';
import { sample } from '../helpers/use-community.ts';

export type Options = NonNullable<Parameters<SandboxMember['runs']>[1]['options']>;

/** Runs `/budget …` as `who`, and returns the private reply. */
export async function budget(
  who: SandboxMember,
  place: Place,
  subcommand: string,
  options: Options = {},
): Promise<string> {
  const reply = await (await who.runs(`/budget ${subcommand}`, { in: place, options })).replied();
  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.mentions).toEqual([]);
  return reply.text;
}

/** Runs a photo swap, and returns the message with its result. */
export async function swap(who: SandboxMember, place: Place): Promise<MessageView> {
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await who.runs('/photo-swap', { in: place, options: { image, face: image } });
  return use.replyWhere(({ attachments }) => attachments.length === 1);
}

/** Starts a photo swap, and returns its message as soon as the message shows that the swap is in progress. */
export async function begin(who: SandboxMember, place: Place): Promise<MessageView> {
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await who.runs('/photo-swap', { in: place, options: { image, face: image } });
  return use.replyWhere(({ text }) => text.includes('in progress'));
}

/**
 * Attempts a photo swap. Returns the refusal, which is shown in the channel, or privately if it concerns only the
 * member (`alone`).
 */
export async function refusal(who: SandboxMember, place: Place, alone: 'alone' | '' = ''): Promise<string> {
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await who.runs('/photo-swap', { in: place, options: { image, face: image } });
  const isRefusal = ({ text }: MessageView): boolean => text.includes('Nothing was charged');
  const message = await (alone === '' ? use.replyWhere(isRefusal) : use.followUpWhere(isRefusal));
  expect(message.flags.ephemeral).toBe(alone !== '');
  expect(message.mentions).toEqual([]);
  return message.text;
}

/** Returns a clock that starts at approximately `iso`. */
export function clockAt(iso: string): ShiftedClock {
  const clock = new ShiftedClock();
  moveTo(clock, iso);
  return clock;
}

export function moveTo(clock: ShiftedClock, iso: string): void {
  clock.shift(Date.parse(iso) - clock.now());
}

/** Returns the sentence with which a message shows a reset time: in full, and relative, such as "in 3 hours". */
export function resetAt(iso: string): string {
  const seconds = Date.parse(iso) / 1000;
  return `It resets <t:${seconds}:F> (<t:${seconds}:R>).`;
}
