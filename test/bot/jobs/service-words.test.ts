import { describe, expect, test } from 'vitest';
import { micros, parseUsd } from '../../../src/base/money.ts';
import { type Community, sample, useCommunity } from '../../helpers/use-community.ts';

const POLLED = { pollMsFirst: 100, pollMsMax: 300 };

async function swap(community: Pick<Community, 'ada' | 'general'>): ReturnType<Community['ada']['runs']> {
  const image = await sample('portrait-man-dark-hair.jpg');
  return community.ada.runs('/photo-swap', { in: community.general, options: { image, face: image } });
}

async function left({ bot, guild }: Community): Promise<number> {
  return (await bot.budget(guild.id)).left;
}

describe('a message of the service is passed on to the member', () => {
  test('a disabled capability costs nothing, and works again once it is enabled', async () => {
    // With this setting, the very next command may check whether the capability is on again.
    const community = await useCommunity({ bot: { jobLimits: { switchProbeMs: 1 } } });
    community.media.admin.switchCapability('photo_swap', false);

    const off = await (await swap(community)).replyWhere((message) => message.text.includes('switched off'));
    expect(off.text).toContain('Nothing was charged.');
    await expect.poll(() => left(community)).toBe(parseUsd(10));

    community.media.admin.switchCapability('photo_swap', true);
    await (await swap(community)).replyWhere((message) => message.attachments.length === 1);
  });

  test('the balance of the account is not the budget of the server', async () => {
    const community = await useCommunity({ media: { openingBalance: micros(1_000) } });

    const reply = await (await swap(community)).replyWhere((message) => message.text.includes('used up'));

    expect(reply.text).toContain("This is not your server's budget.");
    expect(reply.text).toContain('Nothing was charged.');
    await expect.poll(() => left(community)).toBe(parseUsd(10));
  });

  test('a full service is waited for', async () => {
    const community = await useCommunity({ bot: { jobLimits: POLLED } });
    community.media.admin.setCeiling(1);
    community.engine.pause();
    const first = await swap(community);
    await expect.poll(() => community.engine.begun.length).toBe(1);
    const second = await swap(community);
    await second.replyWhere((message) => message.text.includes('step 3 of 4'));

    community.engine.release();

    for (const use of [first, second]) await use.replyWhere((message) => message.attachments.length === 1);
  });

  test('a price that rose after the hold is paid in full, and counts', async () => {
    const community = await useCommunity();
    community.sandbox.faults.failNextDownload({ delayMs: 1_000 });
    const use = await swap(community);
    await use.replyWhere((message) => message.text.includes('step 1 of 4'));
    const price = parseUsd('0.50');
    community.media.admin.setRate('photo_swap', { rate: price, minimum: price, hold: price });

    const reply = await use.replyWhere((message) => message.attachments.length === 1);

    expect(reply.text).toContain('$0.50');
    expect(await left(community)).toBe(parseUsd('9.50'));
  });
});
