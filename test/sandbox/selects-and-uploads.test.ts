import {
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  ComponentType,
  Events,
  type Interaction,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { picture } from '../media-server/test-engine.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useCommand } from './use-command.ts';

const NOTES = { name: 'notes.txt', bytes: new TextEncoder().encode('To be') };

test('menus of members, roles and channels return the complete selection', async () => {
  const sandbox = await useSandbox();
  const { ActionRow, UserSelect, RoleSelect, ChannelSelect } = ComponentType;
  const row = (type: typeof UserSelect | typeof RoleSelect | typeof ChannelSelect) => ({
    type: ActionRow,
    components: [{ type, customId: `pick-${type}` }],
  });
  const { general, guild, ada, client } = await useCommand(sandbox, (interaction) =>
    interaction.reply({
      content: 'Pick',
      components: [row(UserSelect), row(RoleSelect), row(ChannelSelect)],
    }),
  );
  client.on(Events.InteractionCreate, (interaction) => {
    const names = chosenNames(interaction);
    if (names && interaction.isRepliable()) void interaction.reply(names.join());
  });
  const role = guild.addRole('Cutters');
  const reply = await (await ada.runs('/hello', { in: general })).replied();

  const pick = async (type: ComponentType, id: string): Promise<string> =>
    (await (await ada.selects([id], { on: reply, menu: `pick-${type}` })).replied()).content;

  expect(await pick(UserSelect, ada.id)).toBe('Ada');
  expect(await pick(RoleSelect, role.id)).toBe('Cutters');
  expect(await pick(ChannelSelect, general.id)).toBe('general');
  await expect(pick(RoleSelect, ada.id)).rejects.toThrow('does not offer');
  await expect(
    ada.selects([ada.id, guild.owner.id], { on: reply, menu: `pick-${UserSelect}` }),
  ).rejects.toThrow('takes 1 to 1');
});

function chosenNames(interaction: Interaction): readonly string[] | undefined {
  if (interaction.isUserSelectMenu()) return interaction.users.map((user) => user.globalName ?? '');
  if (interaction.isRoleSelectMenu()) return interaction.roles.map(({ name }) => name);
  if (interaction.isChannelSelectMenu()) {
    return interaction.channels.map((channel) => ('name' in channel ? (channel.name ?? '') : ''));
  }
  return undefined;
}

test('a form accepts uploads and choices within its limits', async () => {
  const sandbox = await useSandbox();
  const { Label, FileUpload, TextInput, StringSelect } = ComponentType;
  const form: APIModalInteractionResponseCallbackData = {
    custom_id: 'speak',
    title: 'Speak',
    components: [
      {
        type: Label,
        label: 'Script',
        component: { type: TextInput, custom_id: 'script', style: TextInputStyle.Short, max_length: 5 },
      },
      {
        type: Label,
        label: 'Voice',
        component: { type: StringSelect, custom_id: 'voice', options: [{ label: 'Anna', value: 'anna' }] },
      },
      { type: Label, label: 'File', component: { type: FileUpload, custom_id: 'file', required: false } },
    ],
  };
  const { general, ada, client } = await useCommand(sandbox, (interaction) => interaction.showModal(form));
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isModalSubmit()) return;
    const files = interaction.fields.getUploadedFiles('file', true);
    const [voice] = interaction.fields.getStringSelectValues('voice');
    void interaction.reply(`${voice} ${files.map(({ name, size }) => `${name} ${size}`).join()}`);
  });
  const use = await ada.runs('/hello', { in: general });
  await use.acknowledged();
  const filled = { script: 'Hello', voice: ['anna'] };

  await expect(ada.submits(use, { ...filled, script: 'Hello!' })).rejects.toThrow('takes a shorter text');
  await expect(ada.submits(use, { ...filled, voice: ['eve'] })).rejects.toThrow('does not offer');
  await expect(ada.submits(use, { ...filled, file: [NOTES, NOTES] })).rejects.toThrow('takes fewer files');
  const sent = await ada.submits(use, { ...filled, file: NOTES });
  expect((await sent.replied()).content).toBe('anna notes.txt 5');
});

test('an age-restricted command runs in age-restricted channels only', async () => {
  const sandbox = await useSandbox();
  const { general, ada, client } = await useCommand(sandbox, (interaction) => {
    const { channel } = interaction;
    return interaction.reply(String(channel !== null && 'nsfw' in channel && channel.nsfw));
  });
  await client.application.commands.create({ name: 'hello', description: 'x', nsfw: true });

  await expect(ada.runs('/hello', { in: general })).rejects.toThrow('not age-restricted');
  general.becomesAgeRestricted();
  expect((await (await ada.runs('/hello', { in: general })).replied()).content).toBe('true');
});

test('members have pictures, one for all servers and one for this server', async () => {
  const sandbox = await useSandbox();
  const { general, guild, ada, client } = await useCommand(sandbox);
  await client.application.commands.create({ name: 'Swap', type: ApplicationCommandType.User });
  const hashes: (string | null)[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isUserContextMenuCommand()) return;
    hashes.push(interaction.targetUser.avatar, interaction.targetMember?.avatar ?? null);
    void interaction.reply('Seen');
  });
  ada.hasAvatar(await picture(8));
  ada.hasAvatarHere(await picture(16));
  await (await ada.runsOn('Swap', ada, { in: general })).replied();

  const [everywhere, here] = hashes;
  const cdn = `http://${sandbox.cdnHost}`;
  const status = async (path: string): Promise<number> => (await fetch(`${cdn}${path}`)).status;
  expect(everywhere).not.toBe(here);
  expect(await status(`/avatars/${ada.id}/${everywhere}.png?size=64`)).toBe(200);
  expect(await status(`/guilds/${guild.id}/users/${ada.id}/avatars/${here}.png`)).toBe(200);
  expect(await status(`/avatars/${ada.id}/${here}.png`)).toBe(404);
  expect(() => ada.hasAvatar(NOTES.bytes)).toThrow('not a PNG');
});

test('the buttons of a private message are not available to others', async () => {
  const sandbox = await useSandbox();
  const button = { type: ComponentType.Button, customId: 'x', label: 'Go', style: 1 } as const;
  const { general, guild, ada } = await useCommand(sandbox, (interaction) =>
    interaction.reply({
      content: 'Secret',
      flags: 64,
      components: [{ type: ComponentType.ActionRow, components: [button] }],
    }),
  );
  const use = await ada.runs('/hello', { in: general });
  const reply = await use.replied();

  await expect(guild.addMember('Ben').presses('Go', { on: reply })).rejects.toThrow('does not see');
});

test('where the bot is not a member, only user-installed commands are offered', async () => {
  const sandbox = await useSandbox();
  const { general, guild, ada, client } = await useCommand(sandbox);
  const owners: (string | null)[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    owners.push(interaction.authorizingIntegrationOwners.guildId);
    if (interaction.isChatInputCommand()) void interaction.reply('Here');
  });
  await client.application.commands.create({
    name: 'mine',
    description: 'x',
    integrationTypes: [0, 1],
    contexts: [0],
  });
  guild.removesBot();

  await expect(ada.runs('/hello', { in: general })).rejects.toThrow('no such command');
  expect((await (await ada.runs('/mine', { in: general })).replied()).content).toBe('Here');
  expect(owners).toEqual([null]);
});
