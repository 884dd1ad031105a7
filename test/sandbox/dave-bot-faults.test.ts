import { expect, test } from 'vitest';
import { encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { agreed, differences, hears, hexOf, listen, makeKnown, say, sweep } from './use-dave-bot.ts';
import { join, startJoin, useVoiceScene } from './use-voice.ts';

test('the bot reports a corrupt Welcome, and hears and is heard again', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  ada.voice.joins(lounge);
  encryption.corruptWelcome();
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  expect(encryption.epoch).toBe(2);
  await hears(connection, ada);
  expect(sandbox.violations).toEqual([]);
});

test('a call switches to plaintext and back, and is heard throughout', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  const code = await agreed(connection, ada);
  encryption.keepPlain();
  await expect.poll(() => connection.voicePrivacyCode).toBeUndefined();
  expect([encryption.version, ada.voice.privacyCode]).toEqual([0, '']);
  await hears(connection, ada);
  encryption.keepPlain(false);
  expect(await agreed(connection, ada)).not.toBe(code);
  await hears(connection, ada);
  expect(sandbox.violations).toEqual([]);
});

test('a bot that cannot encrypt is rejected with 4017, and the library joins again at once', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, client, bot } = await useVoiceScene(sandbox);
  const connection = startJoin(client, lounge, { daveEncryption: false });
  await expect.poll(() => sandbox.violations.length).toBeGreaterThan(2);
  connection.destroy();
  await expect.poll(() => guild.entity.voiceStates.has(bot.id)).toBe(false);
  const what = sandbox.takeViolations().map((violation) => violation.what);
  expect(what[0]).toBe('voice close 4017');
  expect(what.length).toBeGreaterThan(2);
});

test('a bot without encryption receives nothing encrypted, and is heard where it is alone', async () => {
  const sandbox = await useSandbox({ voice: { encryption: 'preferred' } });
  const { lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
  sandbox.faults.voiceIn(lounge).encryption.delayTransitions(300);
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const speech = await encodeSpeech(sweep(500, 1600));
  const speaking = ada.voice.speaks(speech);
  const connection = await join(client, lounge, { daveEncryption: false });
  const heard = listen(connection, ada);
  await speaking;
  await expect.poll(() => heard.at(-1)).toBe(hexOf(speech).at(-1));
  expect(differences(hexOf(speech), heard).foreign).toBe(0);
  expect(ben.voice.frameCounts.decrypted).toBeGreaterThan(0);
  expect(heard.length + ben.voice.frameCounts.decrypted).toBeLessThanOrEqual(80);
  ada.voice.leaves();
  ben.voice.leaves();
  const word = await encodeSpeech(sweep(900, 100));
  await say(connection, word);
  const said = (): readonly string[] =>
    lounge.voice.packetsOf(bot).map(({ opus }) => Buffer.from(opus ?? []).toString('hex'));
  await expect.poll(said).toEqual(hexOf(word));
});

test('plaintext frames are dropped, and too many end the stream unless the bot can start again', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const { encryption } = sandbox.faults.voiceIn(lounge);
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada, ben);
  const heard = listen(connection, ada);
  await makeKnown(ada);
  encryption.leavePlain(ada, 5);
  const speech = await encodeSpeech(sweep(700, 200));
  await ada.voice.speaks(speech);
  await expect.poll(() => heard).toEqual(hexOf(speech).slice(5));
  expect(ben.voice.frameCounts).toMatchObject({ plain: 5, lost: 0 });

  encryption.leavePlain(ada, 40);
  const epoch = encryption.epoch;
  await ada.voice.speaks(await encodeSpeech(sweep(700, 800)));
  await expect.poll(() => encryption.epoch).toBe(epoch + 1);
  await agreed(connection, ada, ben);
  await hears(connection, ben);
});

test('after transition 0 the voice library cannot start again: its stream ends', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  const { encryption } = sandbox.faults.voiceIn(lounge);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  await makeKnown(ada);
  const stream = connection.receiver.subscribe(ada.id);
  const failed = new Promise<Error>((resolve) => stream.once('error', resolve));
  encryption.leavePlain(ada, 40);
  await ada.voice.speaks(await encodeSpeech(sweep(700, 800)));
  expect((await failed).message).toContain('UnencryptedWhenPassthroughDisabled');
  expect(encryption.epoch).toBe(1);
});

test('a bot that missed new keys while it was away reports that, and hears again', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const { encryption } = sandbox.faults.voiceIn(lounge);
  encryption.numberFirstTransition();
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  await makeKnown(ada);
  listen(connection, ada);
  sandbox.faults.voiceIn(lounge).close(1006);
  ben.voice.joins(lounge);
  await expect.poll(() => encryption.epoch).toBe(2);
  expect(ben.voice.privacyCode).toBe(ada.voice.privacyCode);
  await ada.voice.speaks(await encodeSpeech(sweep(700, 1000)));
  await agreed(connection, ada, ben);
  expect(encryption.epoch).toBe(3);
  await hears(connection, ada);
});
