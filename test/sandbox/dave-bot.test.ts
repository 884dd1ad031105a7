import { expect, test } from 'vitest';
import { encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { agreed, differences, hears, hexOf, listen, makeKnown, say, sweep } from './use-dave-bot.ts';
import { join, tone, useVoiceScene } from './use-voice.ts';

test('a bot and a member hear each other with end-to-end encryption, and see the same code', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client, bot } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  const heard = listen(connection, ada);
  const [low, high] = [await encodeSpeech(tone(440, 400)), await encodeSpeech(tone(660, 400))];
  await makeKnown(ada);
  await Promise.all([ada.voice.speaks(low), say(connection, high)]);
  await expect.poll(() => ada.voice.frameCounts.decrypted).toBe(20);
  await expect.poll(() => heard).toEqual(hexOf(low));
  const received = ada.voice.packetsOf(bot, lounge);
  expect(received.map(({ opus }) => Buffer.from(opus ?? []).toString('hex'))).toEqual(hexOf(high));
  expect(received.every(({ sizeBytes, opus }) => sizeBytes > (opus?.byteLength ?? 0))).toBe(true);
  expect(ada.voice.frameCounts).toEqual({ decrypted: 20, lost: 0, plain: 0 });
  expect(await connection.getVerificationCode(ada.id)).toMatch(/^\d{45}$/);
  expect(sandbox.violations).toEqual([]);
});

test('nobody misses a word while a third member joins and leaves', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  const code = await agreed(connection, ada);
  const heard = listen(connection, ada);
  const [low, high] = [await encodeSpeech(sweep(300, 1200)), await encodeSpeech(sweep(2000, 1200))];
  await makeKnown(ada);
  const speaking = Promise.all([ada.voice.speaks(low), say(connection, high)]);
  await expect.poll(() => heard.length).toBeGreaterThan(10);
  ben.voice.joins(lounge);
  const withBen = await agreed(connection, ada, ben);
  expect([encryption.epoch, encryption.includes(ben), withBen === code]).toEqual([2, true, false]);
  await expect.poll(() => ben.voice.frameCounts.decrypted).toBeGreaterThan(10);
  ben.voice.leaves();
  await expect.poll(() => encryption.epoch).toBe(3);
  expect(await agreed(connection, ada)).not.toBe(withBen);
  await speaking;
  await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(60);
  await expect.poll(() => differences(hexOf(low), heard)).toEqual({ lost: 0, foreign: 0 });
  const { lost } = ada.voice.frameCounts;
  expect(lost, `The member missed ${lost} of 60 frames`).toBe(0);
  expect(sandbox.violations).toEqual([]);
});

test('all leave and return to a new group', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  const code = await agreed(connection, ada);
  ada.voice.leaves();
  await expect.poll(() => encryption.epoch).toBe(0);
  ada.voice.joins(lounge);
  const second = await agreed(connection, ada);
  expect([second === code, encryption.epoch]).toEqual([false, 1]);
  connection.destroy();
  await expect.poll(() => encryption.includes(client.user)).toBe(false);
  ada.voice.leaves();
  const again = await join(client, lounge);
  ada.voice.joins(lounge);
  await agreed(again, ada);
  await hears(again, ada);
  expect(sandbox.violations).toEqual([]);
});

test('six members at once', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, client, bot } = await useVoiceScene(sandbox);
  const members = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => guild.addMember(name));
  const connection = await join(client, lounge);
  for (const { voice } of members) voice.joins(lounge);
  await agreed(connection, ...members);
  const heard = members.map((member) => listen(connection, member));
  await Promise.all(members.map(makeKnown));
  const spoken = await Promise.all(members.map((_, index) => encodeSpeech(sweep(200 * (index + 1), 400))));
  const own = await encodeSpeech(sweep(3000, 400));
  await Promise.all([
    ...members.map(({ voice }, index) => voice.speaks(spoken[index] ?? { frames: [] })),
    say(connection, own),
  ]);
  await expect.poll(() => heard).toEqual(spoken.map(hexOf));
  for (const { voice } of members) {
    await expect.poll(() => voice.packetsOf(bot, lounge)).toHaveLength(20);
    expect(voice.frameCounts.lost).toBe(0);
  }
  expect(sandbox.violations).toEqual([]);
});

test('the commit of a bot is accepted, for its first group and for a new member', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  encryption.letBotsCommit();
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  ben.voice.joins(lounge);
  await agreed(connection, ada, ben);
  ada.voice.leaves();
  await expect.poll(() => encryption.epoch).toBe(3);
  await agreed(connection, ben);
  await hears(connection, ben);
  expect(sandbox.violations).toEqual([]);
});

test.each(['none', 'preferred'] as const)(
  'if encryption is %s a bot may do without it',
  async (encryption) => {
    const sandbox = await useSandbox({ voice: { encryption } });
    const { lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    expect(ada.voice.privacyCode === '').toBe(encryption === 'none');
    const connection = await join(client, lounge, { daveEncryption: false });
    await expect.poll(() => ada.voice.privacyCode).toBe('');
    await hears(connection, ada);
    const word = await encodeSpeech(sweep(900, 100));
    await say(connection, word);
    await expect
      .poll(() => ben.voice.packetsOf(bot, lounge).map(({ opus }) => opus?.byteLength))
      .toHaveLength(5);
    connection.destroy();
    await expect.poll(() => ada.voice.privacyCode === '').toBe(encryption === 'none');
    expect(ben.voice.privacyCode).toBe(ada.voice.privacyCode);
    expect(sandbox.violations).toEqual([]);
  },
);

test('frequent new keys lose no frames', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client, bot } = await useVoiceScene(sandbox);
  const encryption = sandbox.faults.voiceIn(lounge).encryption;
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  await agreed(connection, ada);
  const heard = listen(connection, ada);
  const [low, high] = [await encodeSpeech(sweep(300, 1200)), await encodeSpeech(sweep(2000, 1200))];
  await makeKnown(ada);
  const rekeying = encryption.rekeyEvery(200);
  await Promise.all([ada.voice.speaks(low), say(connection, high)]);
  rekeying[Symbol.dispose]();
  await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(60);
  expect(encryption.epoch).toBeGreaterThanOrEqual(7);
  await expect.poll(() => differences(hexOf(low), heard)).toEqual({ lost: 0, foreign: 0 });
  expect(ada.voice.frameCounts.lost).toBe(0);
  expect(sandbox.violations).toEqual([]);
});
