import sharp from 'sharp';
import { expect, test } from 'vitest';
import { THEME, colourOf } from '../../src/bot/money/charts/theme.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';
import { useSpending } from '../bot/money/spend/use-spending.ts';

const OTHERS = 'What others spent is shown only to those who manage this server or its budget.';

/** Returns how many pixels of each colour the message's picture has. */
async function pixelsOf(message: MessageView, colours: readonly string[]): Promise<number[]> {
  const picture = message.attachments[0]?.bytes() ?? new Uint8Array();
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const counts = new Map(colours.map((colour) => [colour, 0]));
  for (let at = 0; at < data.length; at += info.channels) {
    const colour = `#${data.toString('hex', at, at + 3)}`;
    counts.set(colour, (counts.get(colour) ?? -1) + 1);
  }
  return colours.map((colour) => counts.get(colour) ?? 0);
}

test("shows managers of the server everyone's spending privately, as a picture and in words", async () => {
  const { guild, ada, asks, spends, general } = await useSpending();
  await spends(ada, 'photo_swap', 50_000, 40_000);
  await spends(guild.owner, 'video_swap', 120_000, 125_000);
  await spends(ada, 'voice_swap', 30_000, null);

  const shown = await asks(guild.owner, 'show');

  expect(shown.flags.ephemeral).toBe(true);
  expect(general.messages).toEqual([]);
  expect(shown.text).toContain('Spending this month');
  expect(shown.text).toContain(
    [
      '            charged        set aside',
      'Video Swap   $0.125  76 %',
      'Photo Swap    $0.04  24 %',
      'Voice Swap    $0.00            $0.03',
      'Together     $0.165            $0.03',
    ].join('\n'),
  );
  expect(shown.text).toContain('**$0.03** more is set aside');
  expect(shown.text).toContain('**$0.005** was charged above the amounts set aside');
  expect(shown.text).toContain("This server's monthly budget: **$9.805** of **$10.00** left");
  expect(shown.text).toContain(
    `- ${guild.owner.mention}: **$0.125**\n- ${ada.mention}: **$0.04** charged, $0.03 set aside`,
  );
  expect(shown.mentions).toEqual([]);
  const [file] = shown.attachments;
  expect(file?.contentType).toBe('image/png');
  expect(file?.description).toContain('Video Swap $0.125');
  expect(file?.description).toContain('$0.165 charged and $0.03 set aside in all');
  const [ground = 0, photo = 0, video = 0, aside = 0, voice = 1] = await pixelsOf(shown, [
    THEME.background,
    ...['photo_swap', 'video_swap'].map(colourOf),
    THEME.total,
    colourOf('voice_swap'),
  ]);
  expect(ground).toBeGreaterThan(500_000);
  expect(Math.min(photo, video, aside)).toBeGreaterThan(100);
  expect(video).toBeGreaterThan(photo);
  expect(voice).toBe(0);
});

test('shows members only their own spending, whatever they request', async () => {
  const { guild, ada, asks, spends } = await useSpending();
  await spends(ada, 'photo_swap', 50_000, 40_000);
  await spends(guild.owner, 'video_swap', 120_000, 125_000);

  const own = await asks(ada, 'show');
  const named = await asks(ada, 'show', { member: ada });
  const others = await asks(ada, 'show', { member: guild.owner });
  const exported = await asks(ada, 'export', { member: guild.owner });

  expect(own.text).toContain('Together    $0.04');
  expect(own.text).not.toContain('Most was charged for');
  expect(own.text).not.toContain('Video Swap');
  expect(named.text).toBe(own.text);
  for (const refused of [others, exported]) {
    expect(refused.text).toContain(OTHERS);
    expect(refused.attachments).toEqual([]);
    expect(refused.flags.ephemeral).toBe(true);
  }
});

test('shows everything, and any member, to roles that manage the budget', async () => {
  const { guild, ada, asks, spends, trusts } = await useSpending();
  await spends(guild.owner, 'video_swap', 120_000, 125_000);
  const treasurer = guild.addRole('Treasurer');
  await trusts(treasurer);
  expect((await asks(ada, 'show')).text).toContain('Nothing was charged');

  ada.hasRoles(treasurer);

  expect((await asks(ada, 'show')).text).toContain('Video Swap  $0.125');
  expect((await asks(ada, 'show', { member: guild.owner })).text).toContain(`${guild.owner.mention}:`);
});

test('says that nothing was spent yet, with a picture', async () => {
  const { guild, asks } = await useSpending();

  const shown = await asks(guild.owner, 'show', { period: 'total' });

  expect(shown.text).toContain('Nothing was charged.');
  expect(shown.text).not.toContain('```');
  expect(shown.attachments).toHaveLength(1);
});

test('is limited to one capability and one period', async () => {
  const { guild, ada, asks, spends } = await useSpending();
  await spends(ada, 'photo_swap', 50_000, 40_000);
  await spends(ada, 'avatar', 50_000, 30_000);

  const avatars = await asks(guild.owner, 'show', { capability: 'avatar', period: 'day' });
  const yesterday = await asks(guild.owner, 'show', { period: 'last_day' });

  expect(avatars.text).toContain('Everybody here on **Avatar**:');
  expect(avatars.text).toContain('Together  $0.03');
  expect(avatars.text).not.toContain('Photo Swap');
  expect(yesterday.text).toContain('Spending yesterday');
  expect(yesterday.text).toContain('Nothing was charged.');
});

test('can be shared with the channel, without the spending of each member', async () => {
  const { guild, general, ada, asks, spends } = await useSpending();
  await spends(ada, 'photo_swap', 50_000, 40_000);

  const shown = await asks(guild.owner, 'show', { share: true });

  expect(shown.flags.ephemeral).toBe(false);
  expect(general.messages.map(({ id }) => id)).toEqual([shown.id]);
  expect(shown.text).toContain('Together    $0.04');
  expect(shown.text).not.toContain(ada.mention);
});

test('exports every job of the period for budget managers, and members their own', async () => {
  const { guild, ada, asks, spends } = await useSpending();
  await spends(ada, 'photo_swap', 50_000, 40_000);
  await spends(guild.owner, 'video_swap', 120_000, 125_000);
  await spends(ada, 'voice_swap', 30_000, null);
  const linesOf = (message: MessageView): string[] =>
    new TextDecoder().decode(message.attachments[0]?.bytes()).trimEnd().split('\r\n').slice(1);

  const all = await asks(guild.owner, 'export');
  const own = await asks(ada, 'export');

  expect(all.flags.ephemeral).toBe(true);
  expect(all.attachments[0]?.filename).toMatch(/^spending-\d{4}-\d\d-01-to-\d{4}-\d\d-\d\d\.csv$/);
  expect(all.text).toContain('**3** lines');
  expect(linesOf(all).map((line) => line.split(',').slice(2).join(','))).toEqual([
    `<@${ada.id}>,photo_swap,posted,0.000000,0.040000,0.000000,job_1`,
    `<@${guild.owner.id}>,video_swap,posted,0.000000,0.125000,0.005000,job_2`,
    `<@${ada.id}>,voice_swap,pending,0.030000,0.000000,0.000000,job_3`,
  ]);
  expect(linesOf(own).map((line) => line.split(',').at(-1))).toEqual(['job_1', 'job_3']);
});
