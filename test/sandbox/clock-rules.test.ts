import type { ChatInputCommandInteraction } from 'discord.js';
import { expect, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { discordCode, useCommand } from './use-command.ts';

/** Returns a handler that passes the interaction to the test instead of answering. */
function parked(): {
  readonly handle: (interaction: ChatInputCommandInteraction) => Promise<void>;
  readonly interaction: Promise<ChatInputCommandInteraction>;
} {
  let park: (interaction: ChatInputCommandInteraction) => void = () => undefined;
  const interaction = new Promise<ChatInputCommandInteraction>((resolve) => (park = resolve));
  return { handle: async (given) => park(given), interaction };
}

test('an answer after 3 seconds is rejected with 10062, and the member sees a failure', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const park = parked();
  const { general, ada } = await useCommand(sandbox, park.handle);
  const use = await ada.runs('/hello', { in: general });
  const interaction = await park.interaction;
  await clock.advance(3001);

  expect(use.state).toBe('failed');
  await expect(use.replied()).rejects.toThrow('the bot did not respond in time');
  expect(await discordCode(interaction.deferReply())).toBe(10062);
  expect(sandbox.takeViolations()).toMatchObject([
    { kind: 'broken_rule', detail: '10062 Unknown interaction' },
  ]);
});

test('an answer at the third second is accepted', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const park = parked();
  const { general, ada } = await useCommand(sandbox, park.handle);
  const use = await ada.runs('/hello', { in: general });
  const interaction = await park.interaction;
  await clock.advance(2999);
  await interaction.reply('In time');

  expect(use.acknowledgedAfterMs).toBe(2999);
  await expect(use.acknowledged({ withinMs: 1000 })).rejects.toThrow('2999 ms');
  expect(use.reply?.content).toBe('In time');
});

test('a second first answer is rejected with 40060', async () => {
  const sandbox = await useSandbox();
  const codes: unknown[] = [];
  const { general, ada } = await useCommand(sandbox, async (interaction) => {
    await interaction.reply('One');
    interaction.replied = false;
    codes.push(await discordCode(interaction.reply('Two')));
  });
  const use = await ada.runs('/hello', { in: general });
  await use.replied();
  await expect.poll(() => codes).toEqual([40060]);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'broken_rule' }]);
});

test('an interaction token works for exactly 15 minutes', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const park = parked();
  const { general, ada } = await useCommand(sandbox, park.handle);
  const use = await ada.runs('/hello', { in: general });
  const interaction = await park.interaction;
  await interaction.deferReply();
  await clock.advance(15 * 60_000 - 1);
  await interaction.editReply('Just in time');
  await clock.advance(1);

  expect(await discordCode(interaction.editReply('Too late'))).toBe(50027);
  expect(await discordCode(interaction.followUp('Too late'))).toBe(50027);
  expect(use.reply?.content).toBe('Just in time');
  expect(sandbox.takeViolations()).toHaveLength(2);
});

test('a link to a file works for a day, and a modified or unsigned one never', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const guild = sandbox.addGuild('Film club');
  const bytes = new TextEncoder().encode('picture');
  const message = await guild.addMember('Ada').says('Look', {
    in: guild.addTextChannel('general'),
    files: [{ name: 'my holiday.jpg', bytes }],
  });
  const [file] = message.attachments;
  const url = file?.url ?? '';
  const answer = await fetch(url);
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } });

  expect(file?.filename).toBe('my_holiday.jpg');
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  expect(await answer.text()).toBe('picture');
  expect([part.status, await part.text()]).toEqual([206, 'ctu']);
  expect((await fetch(url.replace('hm=', 'hm=0'))).status).toBe(404);
  expect((await fetch(url.split('?')[0] ?? '')).status).toBe(404);
  await clock.advance(86_400_000);
  const late = await fetch(url);
  expect([late.status, await late.text()]).toEqual([404, 'This content is no longer available.']);
  expect((await fetch(message.attachments[0]?.url ?? '')).status).toBe(200);
});

test('ids contain the time of the sandbox clock', async () => {
  const clock = new FakeClock(Date.UTC(2026, 5, 1));
  const sandbox = await useSandbox({ clock });
  const { general, ada, client } = await useCommand(sandbox, (interaction) => interaction.reply('Hello'));
  const use = await ada.runs('/hello', { in: general });
  const reply = await use.replied();

  expect(reply.id).toMatch(/^\d{19}$/);
  expect(reply.createdAtMs).toBe(Date.UTC(2026, 5, 1));
  expect(client.guilds.cache.first()?.createdTimestamp).toBe(Date.UTC(2026, 5, 1));
});
