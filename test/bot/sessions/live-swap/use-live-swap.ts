import assert from 'node:assert/strict';
import sharp from 'sharp';
import { expect, onTestFinished, vi } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { GreyFaces } from '../../../media-server/sessions/stream-engines.ts';
import { TestEngine } from '../../../media-server/test-engine.ts';
import {
  type Community,
  type CommunityOptions,
  useCommunityWithoutBot,
} from '../../../helpers/use-community.ts';
import { PageClient } from './page-client.ts';

export interface LiveCommunity extends Community {
  /** The service's engine, which counts the open streams. */
  readonly faces: GreyFaces;
}

/** Short limits, because these tests run in real time. */
const QUICK = { firstLookMs: 20, lookMs: 50, marginMs: 300 };
const QUICK_SWAP = { recheckMs: 200, memberRecheckMs: 400 };

/** Creates a community whose service removes the colour from pictures. */
export async function useLiveCommunity(options: CommunityOptions = {}): Promise<LiveCommunity> {
  const place = await useLiveCommunityWithoutBot(options);
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  return { ...place, bot };
}

export async function useLiveCommunityWithoutBot(
  options: CommunityOptions = {},
): Promise<Omit<LiveCommunity, 'bot'>> {
  const faces = new GreyFaces();
  const { bot: changes } = options;
  const community = await useCommunityWithoutBot({
    ...options,
    bot: (usual) => {
      const quick = { ...usual, liveCodec: 'jpeg', liveLimits: QUICK } as const;
      const changed = typeof changes === 'function' ? changes(quick) : { ...quick, ...changes };
      return { ...changed, liveSwapLimits: { ...QUICK_SWAP, ...changed.liveSwapLimits } };
    },
    media: { engines: { photoSwap: new TestEngine(), liveSwap: faces }, ...options.media },
  });
  return { ...community, faces };
}

type Options = NonNullable<Parameters<SandboxMember['runs']>[1]['options']>;

/** Runs `/live …` and returns the reply that only the member sees. */
export async function live(
  who: SandboxMember,
  { general }: Pick<Community, 'general'>,
  subcommand: string,
  options: Options = {},
): Promise<MessageView> {
  const use: UseOfBot = await who.runs(`/live ${subcommand}`, { in: general, options });
  const reply = await use.replied();
  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.mentions).toEqual([]);
  return reply;
}

/** Returns the URL of the button in a reply. */
export function linkIn({ components, text }: MessageView): string {
  const url = /"url":"([^"]+)"/.exec(JSON.stringify(components))?.[1];
  assert(url, `There is no link: ${text}`);
  return url;
}

/** Creates a community and opens Ada's page with a new link. */
export async function usePage(
  options: CommunityOptions = {},
  wish: Options = {},
): Promise<LiveCommunity & { readonly page: PageClient; readonly link: string }> {
  const place = await useLiveCommunity(options);
  const link = linkIn(await live(place.ada, place, 'start', { minutes: 5, ...wish }));
  return { ...place, link, page: await PageClient.enter(link) };
}

/** Creates a community, opens Ada's page and starts her session, with a camera that keeps sending. */
export async function useLivePage(
  options: CommunityOptions = {},
  wish: Options = {},
): Promise<Awaited<ReturnType<typeof usePage>>> {
  const place = await usePage(options, wish);
  await showsUp(place.page);
  return place;
}

/** Starts another session for Ada, with a camera that keeps sending. */
export async function goesLive(place: Pick<LiveCommunity, 'ada' | 'general'>): Promise<PageClient> {
  const page = await PageClient.enter(linkIn(await live(place.ada, place, 'start', { minutes: 5 })));
  await showsUp(page);
  return page;
}

async function showsUp(page: PageClient): Promise<void> {
  await page.goesLive();
  const picture = await aPicture();
  await page.seesOne(picture);
  page.keepsShowing(picture);
}

/** Returns a small JPEG of one colour, red by default. */
export function aPicture(background = '#f00'): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 36, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

/** Returns whether a picture is grey, because the service has removed its colour. */
export async function isGrey(picture: Uint8Array): Promise<boolean> {
  const [red, green, blue] = await sharp(picture).toColourspace('srgb').raw().toBuffer();
  return red === green && green === blue;
}

/** Waits until this many sessions have ended, and returns the service's usage records for them. */
export async function usageOf(
  { media }: Pick<Community, 'media'>,
  count = 1,
): Promise<readonly { charged_usd: number; reason: string | null; status: string }[]> {
  const headers = { authorization: `Bearer ${media.apiKey}` };
  return vi.waitFor(
    async () => {
      const answer = await fetch(`${media.baseUrl}/usage`, { headers });
      const records = (await answer.json()) as { feature: string; status: string }[];
      const ended = records.filter(
        ({ feature, status }) => feature === 'live_swap_pro' && status === 'succeeded',
      );
      assert.equal(ended.length, count);
      return ended as never;
    },
    { timeout: 5_000, interval: 50 },
  );
}
