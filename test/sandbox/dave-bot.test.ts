import { EndBehaviorType, type VoiceConnection } from '@discordjs/voice';
import { expect, test } from 'vitest';
import type { SandboxMember } from '../../src/sandbox/script/member-script.ts';
import { type OpusSpeech, encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { useSandbox } from '../use-sandbox.ts';
import { join, startJoin, tone, useVoiceScene } from './use-voice.ts';

const FRAME_MS = 20;
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** Frames that a bot hears of a member, without silence, as hex. */
function listen(connection: VoiceConnection, member: SandboxMember): string[] {
  const heard: string[] = [];
  const stream = connection.receiver.subscribe(member.id, { end: { behavior: EndBehaviorType.Manual } });
  stream.on('error', () => undefined);
  stream.on('data', (frame: Buffer) => {
    if (!frame.equals(SILENCE)) heard.push(frame.toString('hex'));
  });
  return heard;
}

function hexOf({ frames }: OpusSpeech): string[] {
  return frames.map((frame) => Buffer.from(frame).toString('hex'));
}

/** Has a bot say something in real time. */
async function say(connection: VoiceConnection, { frames }: OpusSpeech): Promise<void> {
  const startMs = systemClock.monotonic();
  for (const [index, frame] of frames.entries()) {
    await sleep(systemClock, startMs + index * FRAME_MS - systemClock.monotonic());
    connection.playOpusPacket(Buffer.from(frame));
  }
}

/** What of `said` is missing in `heard`, and what was heard that was not said. */
function differences(said: readonly string[], heard: readonly string[]): { lost: number; foreign: number } {
  const known = new Set(heard);
  const own = new Set(said);
  return {
    lost: said.filter((frame) => !known.has(frame)).length,
    foreign: heard.filter((frame) => !own.has(frame)).length,
  };
}

/** Waits until a bot and members have the same keys; returns the code that all see. */
async function agreed(connection: VoiceConnection, ...members: readonly SandboxMember[]): Promise<string> {
  const codes = (): string[] => [
    ...new Set([connection.voicePrivacyCode ?? '', ...members.map(({ voice }) => voice.privacyCode)]),
  ];
  await expect.poll(codes).toEqual([expect.stringMatching(/^\d{30}$/)]);
  return connection.voicePrivacyCode ?? '';
}

test('a bot and a member hear each other end to end encrypted, and see the same code', async () => {
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

test('nobody misses a word while a third member comes and goes', async () => {
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
  const byBot = differences(hexOf(low), heard);
  expect(byBot, `The bot missed ${byBot.lost} of 60 frames`).toEqual({ lost: 0, foreign: 0 });
  const { lost } = ada.voice.frameCounts;
  expect(lost, `The member missed ${lost} of 60 frames`).toBe(0);
  expect(sandbox.violations).toEqual([]);
});

test('all leave and return, to another group', async () => {
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

test('a corrupt Welcome is complained of, and the bot hears and is heard again', async () => {
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

test("a bot's own commit is taken, for its first group and for a newcomer", async () => {
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

test('a call goes on in clear and back, and is heard throughout', async () => {
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

test('a bot that cannot encrypt is turned away with 4017, and the library joins again at once', async () => {
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

test.each(['none', 'preferred'] as const)(
  'where encryption is %s a bot may do without',
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

test('new keys every so often lose nothing', async () => {
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
  const byBot = differences(hexOf(low), heard);
  expect(byBot, `The bot missed ${byBot.lost} of 60 frames`).toEqual({ lost: 0, foreign: 0 });
  expect(ada.voice.frameCounts.lost).toBe(0);
  expect(sandbox.violations).toEqual([]);
});

test('frames in clear are dropped, and too many end the stream unless the bot can begin anew', async () => {
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

test('after transition 0 the voice library cannot begin anew: its stream ends', async () => {
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

test('a bot that missed new keys while it was away complains, and hears again', async () => {
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

/** Each frame another one. */
function sweep(fromHz: number, durationMs: number): Int16Array {
  const samples = tone(fromHz, durationMs);
  return samples.map((sample, index) => Math.round((sample * (index + 1000)) / (samples.length + 1000)));
}

/** The bot learns whose ssrc a member's is: by UDP the first packet may overtake that news. */
async function makeKnown({ voice }: SandboxMember): Promise<void> {
  await voice.speaks({ frames: [] });
}

/** A short word of a member reaches the bot. */
async function hears(connection: VoiceConnection, member: SandboxMember): Promise<void> {
  const heard = listen(connection, member);
  await makeKnown(member);
  const word = await encodeSpeech(sweep(440, 100));
  await member.voice.speaks(word);
  await expect.poll(() => heard).toEqual(hexOf(word));
}
