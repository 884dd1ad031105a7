import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useClient } from './use-client.ts';
import { useCommand } from './use-command.ts';
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  Events,
  TextInputStyle,
} from 'discord.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function control(sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${sandbox.controlUrl}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('everything that a test does can be done over HTTP: set up, run with a file, wait, read', async () => {
  const sandbox = await useSandbox();
  const post = async (path: string, body: unknown): Promise<string> =>
    String((await control(sandbox, 'POST', path, body)).body['id']);
  const guild = await post('/guilds', { name: 'Film club' });
  const channel = await post(`/guilds/${guild}/channels`, { name: 'general', kind: 'text' });
  const role = await post(`/guilds/${guild}/roles`, { name: 'Mods', permissions: ['MANAGE_GUILD'] });
  const member = await post(`/guilds/${guild}/members`, { name: 'Ada', role_ids: [role] });
  const client = await useClient(sandbox);
  await client.application.commands.set([
    {
      name: 'show',
      description: 'x',
      options: [
        { type: ApplicationCommandOptionType.Attachment, name: 'image', description: 'x', required: true },
      ],
    },
  ]);
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const file = interaction.options.getAttachment('image', true);
    void interaction.deferReply().then(() => interaction.editReply(`${file.name} has ${file.size} bytes`));
  });
  const actor = `/guilds/${guild}/members/${member}`;
  const use = await post(`${actor}/runs`, {
    command: '/show',
    in: channel,
    options: { image: { file: { name: 'a.jpg', base64: Buffer.from('abc').toString('base64') } } },
  });
  const done = await control(sandbox, 'GET', `/uses/${use}?contains=bytes&timeout_ms=5000`);
  const list = await control(sandbox, 'GET', `/channels/${channel}/messages?contains=bytes&timeout_ms=5000`);

  expect(done.body).toMatchObject({ state: 'replied', reply: { content: 'a.jpg has 3 bytes' } });
  expect(list.body).toMatchObject([{ content: 'a.jpg has 3 bytes', by_bot: true }]);
  const guilds = await control(sandbox, 'GET', '/guilds');
  expect(guilds.body).toMatchObject([{ name: 'Film club', channels: [{ name: 'general', kind: 'text' }] }]);
  expect((await control(sandbox, 'GET', '/?timeout_ms=100')).body).toMatchObject({
    online: true,
    commands: ['show'],
  });
});

test('a wait that is not fulfilled ends in time with the current state', async () => {
  const sandbox = await useSandbox();
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const { status, body } = await control(
    sandbox,
    'GET',
    `/channels/${general.id}/messages?contains=x&timeout_ms=20`,
  );
  expect([status, body]).toEqual([200, []]);
});

test('violations and faults are accessible over HTTP, and invalid requests are rejected', async () => {
  const sandbox = await useSandbox();
  await fetch(`${sandbox.apiUrl}/v10/nonsense`);
  const taken = await control(sandbox, 'DELETE', '/violations');
  const fault = { rest: { method: 'GET', route: '/gateway', status: 503 } };
  await control(sandbox, 'POST', '/faults', fault);

  expect(taken.body).toMatchObject([{ kind: 'unknown_route' }]);
  expect((await fetch(`${sandbox.apiUrl}/v10/gateway`)).status).toBe(503);
  expect((await control(sandbox, 'POST', '/guilds', { nam: 'x' })).status).toBe(400);
  expect((await control(sandbox, 'GET', '/uses/1')).status).toBe(404);
  const browser = await fetch(`${sandbox.controlUrl}/guilds`, { headers: { origin: 'http://evil' } });
  expect(browser.status).toBe(403);
});

test('buttons, menus, forms, context menus and suggestions are accessible over HTTP', async () => {
  const sandbox = await useSandbox();
  const { guild, general, ada, client } = await useCommand(sandbox, (interaction) =>
    interaction.reply({
      content: 'Choose',
      components: [
        {
          type: ComponentType.ActionRow,
          components: [
            { type: ComponentType.Button, style: ButtonStyle.Primary, label: 'Open', customId: 'open' },
          ],
        },
        {
          type: ComponentType.ActionRow,
          components: [
            { type: ComponentType.StringSelect, customId: 'size', options: [{ label: 'Big', value: 'big' }] },
          ],
        },
      ],
    }),
  );
  await client.application.commands.create({ name: 'Greet', type: ApplicationCommandType.User });
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isStringSelectMenu()) void interaction.reply(interaction.values.join());
    if (interaction.isUserContextMenuCommand())
      void interaction.reply(`Hello ${interaction.targetUser.globalName}`);
    if (interaction.isModalSubmit()) void interaction.reply(interaction.fields.getTextInputValue('text'));
    if (!interaction.isButton()) return;
    const input = {
      type: ComponentType.TextInput,
      customId: 'text',
      label: 'Text',
      style: TextInputStyle.Short,
    } as const;
    const row = { type: ComponentType.ActionRow, components: [input] } as const;
    void interaction.showModal({ customId: 'form', title: 'Form', components: [row] });
  });
  const actor = `/guilds/${guild.id}/members/${ada.id}`;
  const act = async (verb: string, body: unknown): Promise<Record<string, unknown>> => {
    const use = await control(sandbox, 'POST', `${actor}/${verb}`, body);
    const id = String(use.body['id']);
    return (await control(sandbox, 'GET', `/uses/${id}?until=replied&timeout_ms=5000`)).body;
  };
  const first = await act('runs', { command: '/hello', in: general.id });
  const reply = first['reply'] as { id: string };
  const on = { channel_id: general.id, message_id: reply.id };
  const opened = await act('presses', { button: 'Open', ...on });

  expect(opened['form']).toMatchObject({ custom_id: 'form' });
  expect(await act('submits', { use_id: opened['id'], values: { text: 'Hi' } })).toMatchObject({
    reply: { content: 'Hi' },
  });
  expect(await act('selects', { values: ['big'], ...on })).toMatchObject({ reply: { content: 'big' } });
  expect(await act('runs-on', { name: 'Greet', in: general.id, member_id: ada.id })).toMatchObject({
    reply: { content: 'Hello Ada' },
  });
});
