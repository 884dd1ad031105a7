import {
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  type ChatInputCommandInteraction,
  ComponentType,
  Events,
  MessageFlags,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import type { PageMessages } from '../../../src/sandbox/page/message-views.ts';
import type { PageCommand, PageUpload } from '../../../src/sandbox/page/use-views.ts';
import type { PageUseStarted } from '../../../src/sandbox/page/page-wire.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { useClient } from '../use-client.ts';
import { type Scene, useCommand } from '../use-command.ts';
import { type Page, usePage } from './use-page.ts';

const BUTTON = {
  type: ComponentType.Button,
  style: ButtonStyle.Primary,
  label: 'Again',
  customId: 'again',
} as const;

const FORM: APIModalInteractionResponseCallbackData = {
  custom_id: 'form',
  title: 'Two things',
  components: [
    {
      type: ComponentType.Label,
      label: 'Why',
      component: { type: ComponentType.TextInput, custom_id: 'why', style: TextInputStyle.Short },
    },
    {
      type: ComponentType.Label,
      label: 'Which',
      component: { type: ComponentType.FileUpload, custom_id: 'which', max_values: 2 },
    },
  ],
};

async function run({ guild, ada, general }: Scene, page: Page): Promise<PageUseStarted> {
  const path = `/guilds/${guild.id}/members/${ada.id}/runs`;
  return (await page.post<PageUseStarted>(path, { command: '/hello', in: general.id })).body;
}

test('a command changes from "sending" over "thinking" to its reply, which only the member who used it sees', async () => {
  const sandbox = await useSandbox();
  let answer = (): void => undefined;
  const scene = await useCommand(sandbox, async (interaction: ChatInputCommandInteraction) => {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await new Promise<void>((resolve) => (answer = resolve));
    await interaction.editReply({ content: 'Only for you', components: [{ type: 1, components: [BUTTON] }] });
  });
  const ben = scene.guild.addMember('Ben');
  const page = await usePage(sandbox);
  const [asAda, asBen] = [await page.actsAs(scene.ada.id), await page.actsAs(ben.id)];
  const { id } = await run(scene, page);
  await expect.poll(() => asAda.uses.get(id)).toMatchObject({ state: 'deferred', command: 'hello' });
  await expect.poll(() => asAda.messages.size).toBe(1);
  const [thinking] = asAda.messages.values();
  expect(thinking).toMatchObject({
    ephemeral: true,
    content: '',
    used: { by: { name: 'Ada' }, command: 'hello' },
  });
  expect(thinking?.thinking_until_ms).toBeGreaterThan(Date.now());
  answer();
  await expect.poll(() => [...asAda.messages.values()][0]?.content).toBe('Only for you');
  await scene.ada.says('A public word', { in: scene.general });
  await expect.poll(() => asBen.messages.size).toBe(1);
  expect([...asBen.messages.values()][0]?.content).toBe('A public word');
  expect(asBen.uses.size).toBe(0);
  const list = async (user: string): Promise<string[]> => {
    const { body } = await page.get<PageMessages>(`/users/${user}/channels/${scene.general.id}/messages`);
    return body.messages.map((message) => message.content);
  };
  expect(await list(scene.ada.id)).toEqual(['Only for you', 'A public word']);
  expect(await list(ben.id)).toEqual(['A public word']);
  const again = await page.actsAs(scene.ada.id);
  expect(again.state?.me.name).toBe('Ada');
  expect(again.state?.guilds[0]?.channels.map(({ name }) => name)).toEqual(['general']);
});

test('a use that nobody answers fails for the member, and a reloaded page still shows that', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const scene = await useCommand(sandbox);
  const page = await usePage(sandbox);
  const live = await page.actsAs(scene.ada.id);
  const { id } = await run(scene, page);
  await expect.poll(() => live.uses.get(id)?.state).toBe('waiting');
  await clock.advance(3_001);
  await expect.poll(() => live.uses.get(id)?.state).toBe('failed');
  const again = await page.actsAs(scene.ada.id);
  expect(again.uses.get(id)?.state).toBe('failed');
});

test('forms open for the member who pressed, accept uploads, and messages are replaced in place', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox, (interaction) =>
    interaction.reply({ content: 'Press', components: [{ type: 1, components: [BUTTON] }] }),
  );
  scene.client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) {
      void interaction.showModal(FORM);
    } else if (interaction.isModalSubmit() && interaction.isFromMessage()) {
      const files = interaction.fields
        .getUploadedFiles('which', true)
        .map((file) => `${file.name} ${file.size}`);
      void interaction.update(`${interaction.fields.getTextInputValue('why')}: ${files.join(', ')}`);
    }
  });
  const page = await usePage(sandbox);
  const live = await page.actsAs(scene.ada.id);
  await run(scene, page);
  await expect.poll(() => live.messages.size).toBe(1);
  const [message] = live.messages.values();
  const member = `/guilds/${scene.guild.id}/members/${scene.ada.id}`;
  const pressed = await page.post<PageUseStarted>(`${member}/presses`, {
    button: 'again',
    channel_id: scene.general.id,
    message_id: message?.id,
  });
  await expect.poll(() => live.uses.get(pressed.body.id)?.form?.title).toBe('Two things');
  const { body: upload } = await page.upload<PageUpload>('clip.mp4', new Uint8Array(5));
  expect(upload).toMatchObject({ content_type: 'video/mp4', size: 5 });
  const submitted = await page.post<PageUseStarted>(`${member}/submits`, {
    use_id: pressed.body.id,
    values: { why: 'Both', which: [{ file: { upload_id: upload.upload_id } }] },
  });
  expect(submitted.status).toBe(200);
  await expect.poll(() => live.messages.get(message?.id ?? '')?.content).toBe('Both: clip.mp4 5');
});

test('the picker offers the commands that the member may use there, with all required data', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const admins = guild.addRole('Admins', 'ADMINISTRATOR');
  const [ada, ben] = [guild.addMember('Ada', { roles: [admins] }), guild.addMember('Ben')];
  const client = await useClient(sandbox);
  await client.application.commands.set([
    {
      name: 'swap',
      description: 'Swaps',
      options: [
        {
          type: ApplicationCommandOptionType.Attachment,
          name: 'image',
          description: 'Which',
          required: true,
        },
        {
          type: ApplicationCommandOptionType.String,
          name: 'size',
          description: 'How large',
          choices: [{ name: 'Small', value: 's' }],
        },
        { type: ApplicationCommandOptionType.String, name: 'face', description: 'Whose', autocomplete: true },
      ],
    },
    { name: 'rule', description: 'For admins', defaultMemberPermissions: 8n },
    { name: 'Swap this', type: ApplicationCommandType.Message },
  ]);
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const size = interaction.options.getString('size') ?? 'any';
    void interaction.respond([{ name: `${interaction.options.getFocused()} ${size}`, value: 'x' }]);
  });
  const page = await usePage(sandbox);
  const commands = async (user: string): Promise<readonly PageCommand[]> =>
    (await page.get<PageCommand[]>(`/users/${user}/channels/${general.id}/commands`)).body;
  const offered = await commands(ben.id);
  expect(offered.map(({ kind, name }) => [kind, name])).toEqual([
    ['chat', 'swap'],
    ['message', 'Swap this'],
  ]);
  expect((await commands(ada.id)).map(({ name }) => name)).toContain('rule');
  expect(offered[0]?.options).toMatchObject([
    { type: 11, name: 'image', required: true },
    { name: 'size', choices: [{ name: 'Small', value: 's' }] },
    { name: 'face', autocomplete: true },
  ]);
  const completed = await page.post(`/guilds/${guild.id}/members/${ben.id}/completes`, {
    command: '/swap',
    in: general.id,
    option: 'face',
    typed: 'Ad',
    options: { size: 's' },
  });
  expect(completed).toEqual({ status: 200, body: [{ name: 'Ad s', value: 'x' }] });
});

test('nobody can act as another member, or do what a client would not allow them', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox, async (interaction: ChatInputCommandInteraction) => {
    const row = { type: 1, components: [BUTTON] };
    await interaction.reply({ content: 'Mine', components: [row], flags: MessageFlags.Ephemeral });
  });
  const { client, guild, general, ada } = scene;
  const ben = guild.addMember('Ben');
  await client.application.commands.create({ name: 'Look', type: ApplicationCommandType.Message });
  const option = { type: 3, name: 'word', description: 'x', autocomplete: true } as const;
  const rule = { name: 'rule', description: 'x', defaultMemberPermissions: 8n, options: [option] };
  await client.application.commands.create(rule);
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) void interaction.showModal(FORM);
  });
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  await run(scene, page);
  await expect.poll(() => [...live.messages.values()][0]?.content).toBe('Mine');
  const where = { channel_id: general.id, message_id: [...live.messages.keys()][0] };
  const as = async ({ id }: { readonly id: string }, path: string, body: object): Promise<unknown> => {
    const answer = await page.post<{ id?: string }>(`/guilds/${guild.id}/members/${id}/${path}`, body);
    return answer.status === 200 ? answer.body.id : answer.status;
  };
  const press = { ...where, button: 'again' };
  expect(await as(ben, 'presses', press)).toBe(400);
  expect(await as(ben, 'runs-on', { name: 'Look', in: general.id, message_id: where.message_id })).toBe(400);
  const use = String(await as(ada, 'presses', press));
  await expect.poll(() => live.uses.get(use)?.form?.title).toBe('Two things');
  expect(await as(ben, 'submits', { use_id: use, values: { why: 'Not mine' } })).toBe(400);
  const typed = { command: '/rule', in: general.id, option: 'word', typed: 'a' };
  expect(await as(ben, 'completes', typed)).toBe(400);
  general.forbids('everyone', 'SEND_MESSAGES');
  expect(await as(ben, 'says', { content: 'Hello', in: general.id })).toBe(400);
  expect([...live.messages.values()].map(({ content }) => content)).toEqual(['Mine']);
});

test('uploads have limits, members delete only their own messages, and pages of messages join', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club', { attachmentSizeLimitBytes: 100 });
  const general = guild.addTextChannel('general');
  const [ada, ben] = [guild.addMember('Ada'), guild.addMember('Ben')];
  const page = await usePage(sandbox);
  const live = await page.actsAs(ben.id);
  const as = (member: { readonly id: string }): string => `/guilds/${guild.id}/members/${member.id}`;
  const { body: large } = await page.upload<PageUpload>('a.png', new Uint8Array(101));
  const refused = await page.post(`${as(ada)}/says`, { content: '', in: general.id, files: [large] });
  expect(refused.status).toBe(400);
  const files = [{ upload_id: large.upload_id }];
  expect((await page.post(`${as(ada)}/says`, { content: '', in: general.id, files })).status).toBe(413);
  expect((await page.upload('b.png', new Uint8Array(26 * 1024 * 1024))).status).toBe(413);
  for (let count = 1; count <= 5; count++) await ada.says(String(count), { in: general });
  const path = `/users/${ben.id}/channels/${general.id}/messages`;
  const { body: last } = await page.get<PageMessages>(`${path}?limit=2`);
  const first = last.messages[0];
  const { body: before } = await page.get<PageMessages>(`${path}?limit=3&before=${first?.id}`);
  expect([last, before].map(({ more, messages }) => [more, messages.map(({ content }) => content)])).toEqual([
    [true, ['4', '5']],
    [false, ['1', '2', '3']],
  ]);
  const gone = { channel_id: general.id, message_id: first?.id };
  expect((await page.post(`${as(ben)}/deletes`, gone)).status).toBe(403);
  expect((await page.post(`${as(ada)}/deletes`, gone)).status).toBe(200);
  await expect.poll(() => live.messages.get(first?.id ?? '')).toMatchObject({ deleted: true, content: '' });
});
