import { expect, onTestFinished, test } from 'vitest';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { picture } from '../../media-server/test-engine.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';
import { useCommunityWithoutBot } from '../../helpers/use-community.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { type Surroundings, killableBot } from './killable-bot.ts';

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 60_000;

interface Return {
  readonly when: string;
  readonly awayMs: number;
  /** Whether the bot may read its own posts; otherwise only the nonce prevents a second post. */
  readonly mayRead: boolean;
}

test.each<Return>([
  { when: 'at once, and may not read back: Discord recognises the nonce', awayMs: 0, mayRead: false },
  { when: 'an hour later, when the nonce is forgotten: it searches first', awayMs: HOUR_MS, mayRead: true },
])(
  'a result that was posted but not recorded stays one message when the bot returns $when',
  { timeout: 180_000 },
  async ({ awayMs, mayRead }) => {
    const chat = new ShiftedClock();
    const place = await useCommunityWithoutBot({ sandbox: { clock: chat } });
    const { ada, general, engine, media, sandbox, dataDir } = place;
    if (!mayRead) general.forbids('bot', 'READ_MESSAGE_HISTORY');
    await using bot = await startBot(place, 0);
    engine.pause();
    const files = { image: await aFile('image.png', 10), face: await aFile('face.png', 200) };
    const use = await ada.runs('/photo-swap', { in: general, options: files });
    await expect.poll(() => engine.begun.length, { timeout: PATIENCE_MS }).toBe(1);
    // Without the placeholder the result is a separate message, which could be posted twice.
    const placeholder = `${sandbox.apiUrl}/v10/channels/${general.id}/messages/${use.reply?.id}`;
    const headers = { authorization: `Bot ${sandbox.token}` };
    expect((await fetch(placeholder, { method: 'DELETE', headers })).status).toBe(204);
    await bot.arm({ stage: 'collected', moment: 'effected' });
    engine.release();
    expect(await bot.died()).toBe('SIGKILL');
    expect(general.messages).toHaveLength(1);

    chat.shift(awayMs);
    await using _returned = await startBot(place, awayMs);

    const books = { dataDir, media, messages: general.messages };
    await expect.poll(() => bookProblems(books), { timeout: PATIENCE_MS, interval: 100 }).toEqual([]);
    expect(general.messages).toHaveLength(1);
    sandbox.takeViolations(({ detail }) => /READ_MESSAGE_HISTORY/.test(detail));
  },
);

async function startBot(place: Surroundings, aheadMs: number): Promise<BotProcess> {
  const bot = killableBot(place);
  onTestFinished(() => bot.kill());
  bot.begin(aheadMs);
  await bot.ready();
  return bot;
}

async function aFile(name: string, red: number): Promise<{ name: string; bytes: Uint8Array }> {
  return { name, bytes: await picture(red, 64) };
}
