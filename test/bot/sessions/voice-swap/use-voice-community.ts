import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { MasqueradeOptions } from '../../../../src/compose/masquerade-options.ts';
import type { SandboxChannel } from '../../../../src/sandbox/script/guild-script.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/member-script.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust.ts';
import { ScalingVoices } from '../../../media-server/sessions/stream-engines.ts';
import { TestEngine } from '../../../media-server/test-engine.ts';
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
  /** The service's, to see which streams it has open. */
  readonly voices: ScalingVoices;
}

/** A community whose service converts voices, and two of whose members are in a voice channel. */
export async function useVoiceCommunity(options: CommunityOptions = {}): Promise<VoiceCommunity> {
  const place = await useVoiceCommunityWithoutBot(options);
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  return { ...place, bot };
}

export async function useVoiceCommunityWithoutBot(
  options: CommunityOptions = {},
): Promise<Omit<VoiceCommunity, 'bot'>> {
  const voices = new ScalingVoices();
  const engines = { photoSwap: new TestEngine(), voiceSwap: voices };
  const voiceNoticeFile = await useShortNotice();
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
  return { ...community, hall, ben, voices };
}

function withChanges(usual: MasqueradeOptions, changes: CommunityOptions['bot']): MasqueradeOptions {
  return typeof changes === 'function' ? changes(usual) : { ...usual, ...changes };
}

/** Ada starts it in the hall with this voice; what she alone reads. */
export async function starts(
  { ada, general }: Pick<VoiceCommunity, 'ada' | 'general'>,
  options: Record<string, string | number> = {},
): Promise<MessageView> {
  const use = await ada.runs('/voice start', { in: general, options: { voice: 'voice:mirror', ...options } });
  return use.replied();
}

/** What a member alone reads after pressing a button of the panel. */
export async function presses(who: SandboxMember, label: string, on: MessageView): Promise<MessageView> {
  return (await who.presses(label, { on })).followUpWhere(() => true);
}

/** What a member alone reads after `/voice …`. */
export async function voice(
  who: SandboxMember,
  { general }: VoiceCommunity,
  subcommand: string,
  options: NonNullable<Parameters<SandboxMember['runs']>[1]['options']> = {},
): Promise<string> {
  const use: UseOfBot = await who.runs(`/voice ${subcommand}`, { in: general, options });
  const reply = await use.replied();
  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.mentions).toEqual([]);
  return reply.text;
}

export function panelIn({ general }: Pick<VoiceCommunity, 'general'>): Promise<MessageView> {
  return general.messageWhere(({ text }) => text.includes('Voice conversion'));
}

/** Ada has started it and agreed, and the service is connected. */
export async function useTalk(
  options: CommunityOptions = {},
): Promise<VoiceCommunity & { readonly panel: MessageView }> {
  const place = await useVoiceCommunity(options);
  const asked = await starts(place);
  await place.ada.presses('I agree', { on: asked });
  // The service has a place for her as soon as it is asked; only then is it connected to.
  await expect.poll(() => voice(place.ada, place, 'status'), { interval: 100 }).toContain('on, ends');
  return { ...place, panel: await panelIn(place) };
}

/** The first second of the notice, so that tests need not hear all of it. */
export async function useShortNotice(): Promise<string> {
  const whole = await readFile(
    new URL('../../../../src/bot/sessions/voice-swap/desk/voice-notice.ogg', import.meta.url),
  );
  const pages = [...whole.toString('latin1').matchAll(/OggS/g)].map(({ index }) => index);
  const path = join(await useFolder(), 'notice.ogg');
  await writeFile(path, whole.subarray(0, pages[3]));
  return path;
}
