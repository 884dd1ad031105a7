import { ApplicationCommandType, type ApplicationCommandDataResolvable, Routes } from 'discord.js';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useClient } from './use-client.ts';
import { discordCode } from './use-command.ts';

const swap = {
  name: 'photo-swap',
  description: 'Puts a face into a picture',
  options: [{ type: 11, name: 'image', description: 'The picture', required: true, file_types: ['image'] }],
};

test('replacing all commands keeps the ids of unchanged names', async () => {
  const sandbox = await useSandbox();
  const client = await useClient(sandbox);
  const before = await client.application.commands.set([swap, { name: 'budget', description: 'Shows it' }]);
  const after = await client.application.commands.set([
    {
      ...swap,
      description: 'Now better',
      nameLocalizations: { de: 'gesichtstausch' },
      defaultMemberPermissions: 32n,
    },
    { name: 'Swap this face', type: ApplicationCommandType.Message },
  ]);
  const kept = after.find((command) => command.name === 'photo-swap');
  const fetched = await client.application.commands.fetch({ withLocalizations: true });

  expect(kept?.id).toBe(before.find((command) => command.name === 'photo-swap')?.id);
  expect(fetched.map((command) => command.name).sort()).toEqual(['Swap this face', 'photo-swap']);
  expect(fetched.get(kept?.id ?? '')).toMatchObject({
    description: 'Now better',
    nameLocalizations: { de: 'gesichtstausch' },
    options: [{ name: 'image', type: 11, required: true }],
  });
});

test('a single command is created, created again in place, changed, read and deleted', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const { commands } = (await useClient(sandbox)).application;
  const first = await commands.create(swap, guild.id);
  const again = await commands.create({ ...swap, description: 'Again' }, guild.id);
  const changed = await commands.edit(first.id, { description: 'Changed' }, guild.id);

  expect([again.id, changed.id]).toEqual([first.id, first.id]);
  expect((await commands.fetch(first.id, { guildId: guild.id })).description).toBe('Changed');
  expect((await commands.fetch()).size).toBe(0);
  await commands.delete(first.id, guild.id);
  expect((await commands.fetch({ guildId: guild.id })).size).toBe(0);
  expect(await discordCode(commands.delete(first.id, guild.id))).toBe(10063);
});

test.each([
  ['an upper-case name', { name: 'Photo', description: 'x' }],
  ['no description', { name: 'photo' }],
  [
    '26 options',
    {
      name: 'photo',
      description: 'x',
      options: Array.from({ length: 26 }, (_, n) => ({ type: 3, name: `o${n}`, description: 'x' })),
    },
  ],
  [
    'a required option after an optional one',
    {
      name: 'photo',
      description: 'x',
      options: [
        { type: 3, name: 'a', description: 'x' },
        { type: 3, name: 'b', description: 'x', required: true },
      ],
    },
  ],
  [
    'two options of one name',
    {
      name: 'photo',
      description: 'x',
      options: [
        { type: 3, name: 'a', description: 'x' },
        { type: 3, name: 'a', description: 'x' },
      ],
    },
  ],
  [
    'an unknown option type',
    { name: 'photo', description: 'x', options: [{ type: 12, name: 'a', description: 'x' }] },
  ],
  [
    'more than 8,000 characters',
    {
      name: 'photo',
      description: 'x',
      options: Array.from({ length: 4 }, (_, n) => ({
        type: 3,
        name: `o${n}`,
        description: 'x',
        choices: Array.from({ length: 25 }, (_, m) => ({
          name: `${m}`.padEnd(50, 'n'),
          value: `${m}`.padEnd(50, 'v'),
        })),
      })),
    },
  ],
])('a command with %s is refused', async (_name, definition) => {
  const sandbox = await useSandbox();
  const client = await useClient(sandbox);
  const body = definition as unknown as ApplicationCommandDataResolvable;
  const send = client.rest.put(Routes.applicationCommands(client.application.id), { body: [body] });

  expect(await discordCode(send)).toBe(50035);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'malformed_body' }]);
});

test('an unknown property is dropped and recorded', async () => {
  const sandbox = await useSandbox({ expectedDeviation: /descriptoin/ });
  const client = await useClient(sandbox);
  const body = { name: 'photo', description: 'x', descriptoin: 'typo' };
  await client.rest.post(Routes.applicationCommands(client.application.id), { body });

  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'unknown_field', detail: 'descriptoin' }]);
});

test('a member runs only registered commands, with their options', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const client = await useClient(sandbox);
  await client.application.commands.set([
    swap,
    { name: 'admin', description: 'x', defaultMemberPermissions: 32n },
  ]);
  const picture = { name: 'a.jpg', bytes: new Uint8Array(3) };
  const place = { in: general };

  await expect(ada.runs('/nothing', place)).rejects.toThrow('no such command');
  await expect(ada.runs('/photo-swap', place)).rejects.toThrow('"image" is required');
  await expect(ada.runs('/photo-swap', { ...place, options: { image: 'text' } })).rejects.toThrow(
    'must be a file',
  );
  await expect(
    ada.runs('/photo-swap', { ...place, options: { image: { ...picture, name: 'a.txt' } } }),
  ).rejects.toThrow('type of file');
  await expect(ada.runs('/photo-swap', { ...place, options: { image: picture, other: 1 } })).rejects.toThrow(
    'no option "other"',
  );
  await expect(ada.runs('/admin', place)).rejects.toThrow('permission');
  expect((await guild.owner.runs('/admin', place)).state).toBe('waiting');
});

test('a manually registered command is found by the bot, and all are listed with their definitions', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  sandbox.addCommand({ name: 'poll', description: 'Not of this bot' });
  sandbox.addCommand({ name: 'local', description: 'Only here' }, guild);
  const client = await useClient(sandbox);
  await client.application.commands.create(swap);

  expect((await client.application.commands.fetch()).map((command) => command.name)).toEqual([
    'poll',
    'photo-swap',
  ]);
  expect(sandbox.commands().map((command) => command['name'])).toEqual(['poll', 'photo-swap']);
  expect(sandbox.commands(guild)).toMatchObject([{ name: 'local', guild_id: guild.id }]);
  expect(sandbox.guilds.map((entry) => entry.name)).toEqual(['Film club']);
  expect(() => sandbox.addCommand({ name: 'Poll', description: 'x' })).toThrow('name is invalid');
});
