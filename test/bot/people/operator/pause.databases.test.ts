import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { sample } from '../../../helpers/use-community.ts';
import { useOperator } from './use-operator.ts';

test('while everything is paused no job is accepted, and members get a polite answer; then it continues', async () => {
  const place = await useOperator();

  expect((await place.operates('pause')).text).toContain('Paused');
  expect((await place.operates('pause')).text).toContain('Already paused');
  const refused = await place.swaps();
  const { left, limit } = await place.bot.budget(place.guild.id);
  expect((await place.operates('resume')).text).toContain('Resumed');
  expect((await place.operates('resume')).text).toContain('There is no pause of everything');

  expect(refused.text).toContain('Whoever runs this bot has paused it for now');
  expect(refused.text).toContain('Nothing was charged');
  expect(left).toBe(limit);
  expect((await place.swaps()).attachments).toHaveLength(1);
});

test('a job that is running when the pause starts ends normally', async () => {
  const place = await useOperator();
  place.engine.pause();
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await place.ada.runs('/photo-swap', { in: place.general, options: { image, face: image } });
  await use.replyWhere(({ text }) => text.includes('The service is working on it'));
  await place.operates('pause');
  place.engine.release();

  expect((await use.replyWhere(({ attachments }) => attachments.length === 1)).text).toContain('$0.04');
});

test('one server can be paused, which survives a restart and does not affect others', async () => {
  const place = await useOperator();
  const other = place.sandbox.addGuild('Night radio');
  const studio = other.addTextChannel('studio');
  const bo = other.addMember('Bo');
  await place.operates('pause', { guild: place.guild.id });
  await place.bot[Symbol.asyncDispose]();
  const again = await createMasquerade(place.botOptions);
  onTestFinished(() => again[Symbol.asyncDispose]());
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await bo.runs('/photo-swap', { in: studio, options: { image, face: image } });

  expect((await use.replyWhere(({ attachments }) => attachments.length === 1)).text).toContain('$0.04');
  expect((await place.swaps()).text).toContain('has paused it for this server');
  expect((await place.operates('status')).text).toContain('1 server is paused');
  const suggested = await place.guild.owner.completes('/operator resume', {
    in: place.general,
    option: 'guild',
    typed: 'film',
  });
  expect(suggested).toEqual([{ name: `Film club (${place.guild.id})`, value: place.guild.id }]);
  expect((await place.operates('resume')).text).toContain('name it with `/operator resume guild:`');
  await place.operates('resume', { guild: place.guild.id });
  expect((await place.swaps()).attachments).toHaveLength(1);
});

test('an invalid server id pauses nothing', async () => {
  const place = await useOperator();

  expect((await place.operates('pause', { guild: 'Film club' })).text).toContain('not the id of a server');
  expect((await place.swaps()).attachments).toHaveLength(1);
});
