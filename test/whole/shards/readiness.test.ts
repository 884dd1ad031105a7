import { expect, test } from 'vitest';
import { useCommunity } from '../../helpers/use-community.ts';

test('is ready while each of its shards is connected, and not otherwise', async () => {
  const { bot, sandbox } = await useCommunity({
    bot: (usual) => {
      const { token, apiUrl } = { token: '', apiUrl: '', ...usual.discord };
      return { ...usual, discord: { token, apiUrl, shards: [0, 1], shardCount: 2 } };
    },
  });
  await expect.poll(() => bot.readiness()).toEqual({ database: true, discord: true, media_api: true });

  sandbox.faults.dropGateway(4004);

  await expect.poll(() => bot.readiness()).toMatchObject({ discord: false });
});
