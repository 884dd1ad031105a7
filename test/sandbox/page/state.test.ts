import { expect, test } from 'vitest';
import type { PageState } from '../../../src/sandbox/page/page-views.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { useClient } from '../use-client.ts';
import { usePage } from './use-page.ts';

test('each member sees the channels that they may see, with their permissions there', async () => {
  const sandbox = await useSandbox();
  const { filmClub } = sandbox.seed();
  const { ada, ben, chloe } = filmClub.members;
  const page = await usePage(sandbox);
  const stateOf = async ({ id }: { readonly id: string }): Promise<PageState> =>
    (await page.get<PageState>(`/users/${id}/state`)).body;
  const [asAda, asBen] = [await stateOf(ada), await stateOf(ben)];
  expect(asAda.people.slice(0, 3).map(({ name }) => name)).toEqual(['Ada', 'Ben', 'Bo']);
  expect(asAda.guilds.map(({ name }) => name)).toEqual(['Film club', 'Night radio']);
  expect(asBen.guilds.map(({ name }) => name)).toEqual(['Film club']);
  const names = (state: PageState): string[] => (state.guilds[0]?.channels ?? []).map(({ name }) => name);
  expect(names(asAda)).toEqual(['general', 'clips', 'portraits', 'moderators', 'Lounge', 'Booth', 'Stage']);
  expect(names(asBen)).not.toContain('moderators');
  expect(names(await stateOf(chloe))).toContain('moderators');
  const [general] = asBen.guilds[0]?.channels ?? [];
  expect(general?.may).toMatchObject({ send: true, run_commands: true, delete_messages: false });
  expect(asAda.guilds[0]?.members.find(({ id }) => id === ada.id)).toMatchObject({
    admin: true,
    online: true,
  });
  expect(asAda.guilds[0]?.members.find(({ bot }) => bot)).toMatchObject({
    name: 'masquerade',
    online: false,
  });
  const hidden = `/users/${ben.id}/channels/${filmClub.channels.moderators.id}/messages`;
  expect((await page.get(hidden)).status).toBe(404);
});

test('typing bots, private messages and changes by moderators reach only their audience', async () => {
  const sandbox = await useSandbox();
  const { filmClub } = sandbox.seed();
  const { general, moderators } = filmClub.channels;
  const { ada, ben } = filmClub.members;
  const client = await useClient(sandbox);
  const page = await usePage(sandbox);
  const [asAda, asBen] = [await page.actsAs(ada.id), await page.actsAs(ben.id)];
  expect(asAda.state?.bot.online).toBe(true);
  for (const { id } of [moderators, general]) {
    const channel = await client.channels.fetch(id);
    if (channel?.isSendable()) await channel.sendTyping();
  }
  const typing = (live: typeof asAda): string[] => live.of('typing').map(({ channel_id: id }) => id);
  await expect.poll(() => typing(asAda).toSorted()).toEqual([general.id, moderators.id].toSorted());
  await expect.poll(() => typing(asBen)).toEqual([general.id]);
  expect(asBen.of('guild')).toEqual([]);
  await (await client.users.fetch(ada.id)).send('Between us');
  await expect.poll(() => [...asAda.messages.values()].map(({ content }) => content)).toEqual(['Between us']);
  expect(asAda.of('direct_messages').at(-1)?.channels).toMatchObject([{ kind: 'dm', name: 'masquerade' }]);
  general.forbids('everyone', 'SEND_MESSAGES');
  const mayBenSend = (): unknown =>
    asBen
      .of('guild')
      .at(-1)
      ?.guild.channels.find(({ id }) => id === general.id)?.may.send;
  await expect.poll(mayBenSend).toBe(false);
  ben.leaves();
  await expect.poll(() => asBen.of('guild_gone').map(({ id }) => id)).toEqual([filmClub.guild.id]);
  expect(asBen.messages.size).toBe(0);
});
