import { expect, test, vi } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { ApiClient } from '../../../media-server/api-client.ts';
import { useOperator } from './use-operator.ts';

test('use of the account by others is reported to the operator, and is charged to no server', async () => {
  const place = await useOperator({
    bot: (usual) => ({ ...usual, reconciliation: { alarmAbove: micros(50_000) } }),
  });
  const { bot, guild, media, office } = place;
  await vi.waitFor(async () => expect(await bot.reconciliation.latest()).toBeDefined());
  const somebody = new ApiClient(media.baseUrl, media.apiKey);
  const body = await somebody.photoSwapBody();
  for (let count = 0; count < 2; count++) {
    const { id } = await somebody.submit(body);
    await vi.waitFor(async () => expect((await somebody.job(id)).charged_usd).toBe(0.04));
  }
  await bot.reconciliation.run();

  await vi.waitFor(() => {
    expect(office.messages.map(({ text }) => text).join('\n')).toMatch(/used by others[^]*\$0\.08/);
  });
  expect((await place.operates('status')).text).toContain('$0.08 used by others of this account');
  const { limit, left } = await bot.budget(guild.id);
  expect(left).toBe(limit);
});
