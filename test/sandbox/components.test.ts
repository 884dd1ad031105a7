import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  MessageFlags,
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Events,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useCommand } from './use-command.ts';

const buttons = new ActionRowBuilder<ButtonBuilder>().addComponents(
  new ButtonBuilder().setCustomId('delete:1').setLabel('Delete').setStyle(ButtonStyle.Danger),
  new ButtonBuilder().setURL('https://example.org').setLabel('Open').setStyle(ButtonStyle.Link),
);
const menu = new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
  new StringSelectMenuBuilder()
    .setCustomId('quality')
    .addOptions({ label: 'High', value: 'high' }, { label: 'Low', value: 'low' }),
);

test('a button changes its message, a menu answers privately', async () => {
  const sandbox = await useSandbox();
  const { general, ada, client } = await useCommand(sandbox, (interaction) =>
    interaction.reply({ content: 'Done', components: [buttons, menu] }),
  );
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) void interaction.update({ content: 'Deleted', components: [] });
    if (interaction.isStringSelectMenu()) {
      void interaction.reply({
        content: `You chose ${interaction.values.join()}`,
        flags: MessageFlags.Ephemeral,
      });
    }
  });
  const reply = await (await ada.runs('/hello', { in: general })).replied();
  const chosen = await (await ada.selects(['low'], { on: reply })).replied();
  const pressed = await ada.presses('Delete', { on: reply });
  await pressed.acknowledged();

  expect(chosen).toMatchObject({ content: 'You chose low', flags: { ephemeral: true } });
  expect(reply.content).toBe('Deleted');
  expect(general.messages.map((message) => message.content)).toEqual(['Deleted']);
  await expect(ada.presses('Delete', { on: reply })).rejects.toThrow('no such button');
});

test('a deferred update is edited later, without a new message', async () => {
  const sandbox = await useSandbox();
  const { general, ada, client } = await useCommand(sandbox, (interaction) =>
    interaction.reply({ content: 'Working', components: [buttons] }),
  );
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isButton()) return;
    void interaction.deferUpdate().then(() => interaction.editReply('Changed'));
  });
  const reply = await (await ada.runs('/hello', { in: general })).replied();
  await ada.presses('delete:1', { on: reply });

  await general.messageWhere((message) => message.content === 'Changed');
  expect(general.messages).toHaveLength(1);
});

test('a command opens a form, and the bot receives the values that a member enters', async () => {
  const sandbox = await useSandbox();
  const input = new TextInputBuilder()
    .setCustomId('script')
    .setLabel('Script')
    .setStyle(TextInputStyle.Paragraph);
  const form = new ModalBuilder()
    .setCustomId('speak')
    .setTitle('Speak')
    .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input));
  const { general, ada, client } = await useCommand(sandbox, (interaction) => interaction.showModal(form));
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isModalSubmit()) void interaction.reply(interaction.fields.getTextInputValue('script'));
  });
  const use = await ada.runs('/hello', { in: general });
  await use.acknowledged();

  await expect(ada.submits(use, {})).rejects.toThrow('"script" is required');
  const submitted = await ada.submits(use, { script: 'To be or not to be' });
  expect((await submitted.replied()).content).toBe('To be or not to be');
});

test('suggestions, subcommands, typed options and context menus reach the bot', async () => {
  const sandbox = await useSandbox();
  const { general, guild, ada, client } = await useCommand(sandbox);
  await client.application.commands.set([
    {
      name: 'budget',
      description: 'x',
      options: [
        {
          type: ApplicationCommandOptionType.Subcommand,
          name: 'set',
          description: 'x',
          options: [
            {
              type: ApplicationCommandOptionType.String,
              name: 'period',
              description: 'x',
              required: true,
              autocomplete: true,
            },
            { type: ApplicationCommandOptionType.Number, name: 'usd', description: 'x', min_value: 0 },
            { type: ApplicationCommandOptionType.User, name: 'member', description: 'x' },
          ],
        },
      ],
    },
    { name: 'Swap this face', type: ApplicationCommandType.Message },
  ]);
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isAutocomplete()) void interaction.respond([{ name: 'Month', value: 'month' }]);
    if (interaction.isMessageContextMenuCommand())
      void interaction.reply(`About ${interaction.targetMessage.id}`);
    if (!interaction.isChatInputCommand()) return;
    const { options } = interaction;
    const parts = [options.getSubcommand(), options.getString('period'), options.getNumber('usd')];
    void interaction.reply(`${parts.join(' ')} ${options.getUser('member')?.globalName}`);
  });
  const place = { in: general };
  const choices = await ada.completes('/budget set', { ...place, option: 'period', typed: 'mo' });
  const ben = guild.addMember('Ben');
  const use = await ada.runs('/budget set', {
    ...place,
    options: { period: 'month', usd: 1.5, member: ben },
  });
  const said = await ben.says('Hello', place);
  const menu = await ada.runsOn('Swap this face', said, place);

  expect(choices).toEqual([{ name: 'Month', value: 'month' }]);
  expect((await use.replied()).content).toBe('set month 1.5 Ben');
  expect((await menu.replied()).content).toBe(`About ${said.id}`);
  await expect(ada.runs('/budget', place)).rejects.toThrow('subcommand');
});

test('an ephemeral reply is visible to the member only, and the first follow-up replaces a loading message', async () => {
  const sandbox = await useSandbox();
  const { general, ada } = await useCommand(sandbox, async (interaction) => {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.followUp('In its place');
  });
  const use = await ada.runs('/hello', { in: general });
  const reply = await use.replied();

  expect(reply).toMatchObject({ content: 'In its place', flags: { ephemeral: true, loading: false } });
  expect(use.followUps).toEqual([]);
  expect(general.messages).toEqual([]);
});

test('a reply made of containers shows its text and its pictures', async () => {
  const sandbox = await useSandbox();
  const { general, ada } = await useCommand(sandbox, (interaction) =>
    interaction.reply({
      flags: MessageFlags.IsComponentsV2,
      files: [{ attachment: Buffer.from('x'), name: 'x.png' }],
      components: [
        {
          type: ComponentType.Container,
          components: [
            { type: ComponentType.TextDisplay, content: '**Done** for $0.20' },
            { type: ComponentType.MediaGallery, items: [{ media: { url: 'attachment://x.png' } }] },
            { type: ComponentType.Separator },
          ],
        },
      ],
    }),
  );
  const use = await ada.runs('/hello', { in: general });
  const reply = await use.replyWhere((message) => message.text.includes('$0.20'));

  expect(JSON.stringify(reply.components)).toContain(`http://${sandbox.cdnHost}/attachments/`);
});
