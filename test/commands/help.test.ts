import { expect, test } from 'vitest';
import { avatar } from '../../commands/avatar.ts';
import { help } from '../../commands/help.ts';
import { photoSwap } from '../../commands/photo-swap.ts';
import { useInASwap } from '../../commands/menus/use-in-a-swap.ts';
import { ZERO } from '../../src/base/money.ts';
import type { BudgetView } from '../../src/bot/money/caps/budget.ts';
import { useHandlers } from '../bot/discord/use-handlers.ts';

test('/help privately lists the commands, the allowed files, the rule of consent, and the amount left', async () => {
  const { ada, channel } = await useHandlers({ commands: [help([photoSwap, avatar], [useInASwap])] });

  const reply = await (await ada.runs('/help', { in: channel })).replied();

  expect(reply.text).toContain('`/photo-swap` Put a face into a picture');
  expect(reply.text).toContain('`/avatar` Let a portrait speak your text');
  expect(reply.text).toContain('`/help` Show what this bot can do');
  expect(reply.text).toContain('up to 47 MB and 50 megapixels');
  expect(reply.text).toContain('up to 524 MB and 1 min 30 s');
  expect(reply.text).toContain('up to 47 MB and 10 min');
  expect(reply.text).toContain('`script` up to 5,000 characters');
  expect(reply.text).toContain('choose Apps and **Use in a swap**');
  expect(reply.text).toContain('people who have agreed to it');
  expect(reply.text).toContain('**$4.98** of **$5.00** left this month');
  expect(channel.messages).toEqual([]);
});

test('/help directs a member without a budget to the admins', async () => {
  const budget = (): Promise<BudgetView> =>
    Promise.resolve({ limit: ZERO, left: ZERO, period: 'month', resetsAtMs: 0 });
  const { ada, channel } = await useHandlers({ commands: [help([photoSwap], [])] }, undefined, { budget });

  const reply = await (await ada.runs('/help', { in: channel })).replied();

  expect(reply.text).toContain(
    'Nothing can be spent here yet: an admin can set a budget with `/budget set`.',
  );
});
