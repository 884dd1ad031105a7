import { expect, test } from 'vitest';
import { parseUsd } from '../../../../src/base/money.ts';
import { sample, useCommunity } from '../../../helpers/use-community.ts';

test('alerts of members’ spending are sent to the channel that admins choose, even if they choose it afterwards', async () => {
  const place = await useCommunity({
    bot: (usual) => ({
      ...usual,
      defaultBudget: { limit: parseUsd('0.14'), period: 'day', timeZone: 'UTC' },
    }),
  });
  const { guild, general, ada } = place;
  const office = guild.addTextChannel('office');
  const texts = (): string[] => office.messages.map(({ text }) => text);
  const swaps = async (): Promise<void> => {
    const image = await sample('portrait-man-dark-hair.jpg');
    const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
    await use.replyWhere(({ attachments }) => attachments.length === 1);
  };

  await swaps();
  await swaps();
  expect(texts()).toEqual([]);
  const chosen = await guild.owner.runs('/budget settings', { in: general, options: { alerts: office } });
  await chosen.replied();
  await expect
    .poll(texts)
    .toEqual([expect.stringMatching('50 % of the daily budget is (charged|set aside)')]);
  await swaps();
  await expect.poll(texts).toHaveLength(2);

  expect(texts()[1]).toMatch(
    /(80 % of the daily budget is (charged|set aside)|Nothing is left of the daily budget)/,
  );
  expect(texts().join('\n')).toMatch(/\*\*\$0\.\d\d\*\* of \*\*\$0\.14\*\* is charged/);
});
