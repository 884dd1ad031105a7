import { expect, test } from 'vitest';
import { panelIn, starts, useTalk, useVoiceCommunity, voice } from './use-voice-community.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { tone } from '../../../sandbox/use-voice.ts';

test('is started, agreed to, spoken, and stopped through the chat alone', async () => {
  const place = await useVoiceCommunity();
  const { ada, ben, hall, general, voices, sandbox, time } = place;

  const asked = await starts(place);
  const panel = await panelIn(place);
  const statusThen = hall.status;
  const streamsThen = voices.opened.length;
  await ada.presses('I agree', { on: asked });
  await time.until(() => expect(asked.text).toContain('You are in it'));
  await time.until(() => expect(voices.taken).toBe(1));
  hall.voice.forgets();
  await time.during(ada.voice.speaks(tone(440, 1_000)));
  const bot = { id: place.bot.client.user?.id ?? '' };
  await time.until(() => expect(ben.voice.packetsOf(bot, hall).length).toBeGreaterThan(30));
  await time.until(() => expect(panel.text).toContain(ada.mention));
  const live = panel.text;
  await ada.presses('Stop', { on: panel });
  await time.until(() => expect(voices.taken).toBe(0));
  await time.until(() => expect(panel.text).toContain('Voice conversion has ended'));

  expect(asked.flags.ephemeral).toBe(true);
  expect(streamsThen).toBe(0);
  expect(statusThen).toContain('Voice conversion is on');
  expect(live).toContain('**Mirror**');
  expect(live).toContain('(estimate)');
  expect(panel.mentions).toEqual([]);
  expect(panel.components).toEqual([]);
  await time.until(() => expect(hall.status).toBeNull());
  await time.until(() => expect(hall.voice.connectedIds).not.toContain(bot.id));
  expect(general.messages.filter(({ text }) => text.includes('Voice conversion'))).toHaveLength(1);
  expect(sandbox.takeViolations()).toEqual([]);
});

test('adds other members by button and menu, and answers them privately', async () => {
  const place = await useTalk();
  const { ada, ben, voices, panel, time } = place;
  const followUp = async (use: UseOfBot): Promise<MessageView> => time.during(use.followUpWhere(() => true));
  const choosesAnother = async (): Promise<string> =>
    (await followUp(await ada.selects(['voice:whisper'], { on: panel }))).text;

  const asked = await followUp(await ben.presses('Join', { on: panel }));
  await ben.presses('I agree', { on: asked });
  await time.until(() => expect(voices.taken).toBe(2));
  await time.until(async () => expect(await choosesAnother()).toContain('**Whisper**'), { everyMs: 500 });
  await time.until(() =>
    expect(voices.opened.map(({ voiceId }) => voiceId)).toEqual(['mirror', 'mirror', 'whisper']),
  );
  await time.until(() => expect(voices.taken).toBe(2));
  const left = await followUp(await ben.presses('Leave', { on: panel }));
  await time.until(() => expect(voices.taken).toBe(1));

  expect(asked.flags.ephemeral).toBe(true);
  expect(left.text).toContain('You have left.');
});

test('accepts the voice by its name, and offers "no change" only as an explicit choice', async () => {
  const place = await useVoiceCommunity();
  const { ada, general } = place;

  const offered = await ada.completes('/voice start', { in: general, option: 'voice', typed: '' });
  const typed = await ada.completes('/voice join', { in: general, option: 'voice', typed: 'whis' });
  const unknown = await voice(ada, place, 'start', { voice: 'Nobody' });
  const unchanged = await starts(place, { voice: 'no-change' });

  expect(offered.map(({ value }) => value)).toEqual(['voice:mirror', 'voice:whisper', 'no-change']);
  expect(typed.map(({ value }) => value)).toEqual(['voice:whisper']);
  expect(unknown).toContain('Choose one from the list');
  expect(unchanged.text).toContain('May your speech be converted?');
});

test('explains what to do to a member in no voice channel, and when no session is running', async () => {
  const place = await useVoiceCommunity();
  const { ada } = place;
  ada.voice.leaves();

  expect(await voice(ada, place, 'start', { voice: 'voice:mirror' })).toContain(
    'You are in no voice channel',
  );
  for (const subcommand of ['status', 'leave', 'stop']) {
    expect(await voice(ada, place, subcommand)).toContain('No voice conversion is on');
  }
});

test('follows the rules of the admins', async () => {
  const place = await useVoiceCommunity();
  const { guild, general } = place;
  const denied = await guild.owner.runs('/access deny', {
    in: general,
    options: { capability: 'voice_swap' },
  });
  await denied.replied();

  expect((await starts(place)).text).toContain('switched this command off');
});

test('opens no session that its own budget does not allow', async () => {
  const place = await useVoiceCommunity();
  const { guild, general, ada, voices, time } = place;
  const set = await guild.owner.runs('/budget set', {
    in: general,
    options: { amount: '0', period: 'day', capability: 'voice_swap' },
  });
  await set.replied();

  const asked = await starts(place);
  await ada.presses('I agree', { on: asked });
  const panel = await panelIn(place);

  await time.until(() => expect(panel.text).toContain('more than is left'));
  expect(voices.opened).toEqual([]);
});

test('is shown and deleted by /privacy, at once in the voice channel, too', async () => {
  const place = await useTalk();
  const { ada, general, voices, time } = place;

  const seen = await (await ada.runs('/privacy see', { in: general })).replied();
  const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
  await ada.presses('Delete everything', { on: asked });
  await time.until(() => expect(voices.taken).toBe(0));
  const again = await voice(ada, place, 'join', { voice: 'voice:mirror' });

  expect(seen.text).toContain('you agreed in 1 server that it is converted');
  expect(again).toContain('May your speech be converted?');
});

test.each([
  ['the member leaves', ({ ada }) => ada.voice.leaves()],
  ['a moderator mutes the member', ({ guild, ada }) => guild.voice.mutes(ada)],
  ['the bot is disconnected', ({ guild, bot }) => guild.voice.disconnects({ id: bot.client.user?.id ?? '' })],
  [
    'the bot is moved',
    ({ guild, bot }) => guild.voice.moves({ id: bot.client.user?.id ?? '' }, guild.addVoiceChannel('Attic')),
  ],
  ['the channel is deleted', ({ hall }) => hall.disappears()],
  ['the bot stops', ({ bot }) => bot[Symbol.asyncDispose]()],
] satisfies [string, (place: Awaited<ReturnType<typeof useTalk>>) => unknown][])(
  'has no stream open at the service within a second after %s',
  async (_name, happens) => {
    const place = await useTalk();
    const { time, voices } = place;

    const happening = Promise.resolve(happens(place));
    await time.until(() => expect(voices.taken).toBe(0), { withinMs: 1_000 });
    await time.during(happening);

    expect(voices.taken).toBe(0);
  },
);
