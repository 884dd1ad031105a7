import { expect, test } from 'vitest';
import { listVoiceConsents } from '../../../../db/queries/voice-consents.ts';
import { ADA, BEN, CLEO, type Desk, by, nova, useDesk, useStarted } from './use-desk.ts';
import type { CloseReason } from '../../../../src/bot/sessions/line-end.ts';

/** The events that end a member's conversion, and the reason with which the paid line is closed. */
const ENDS: readonly (readonly [string, CloseReason, (desk: Desk) => unknown])[] = [
  ['the member leaves the channel', 'left', ({ connector }) => connector.channel.leaves(ADA)],
  ['the member opts out', 'opted_out', ({ desk }) => desk.leave(by(ADA))],
  ['a moderator removes them', 'moderated', ({ desk }) => desk.leave(by(BEN, { isAdmin: true }), ADA)],
  ['a moderator mutes them', 'moderated', ({ connector }) => connector.channel.silences(ADA, true)],
  ['it is stopped', 'stopped', ({ desk }) => desk.stop(by(ADA))],
  [
    'the bot is kicked',
    'channel_lost',
    ({ connector }) => connector.channel.tell({ kind: 'ended', reason: 'disconnected' }),
  ],
  [
    'the bot is moved',
    'channel_lost',
    ({ connector }) => connector.channel.tell({ kind: 'ended', reason: 'moved' }),
  ],
  [
    'the channel is deleted',
    'channel_lost',
    ({ connector }) => connector.channel.tell({ kind: 'ended', reason: 'channel_deleted' }),
  ],
  [
    'the connection breaks',
    'channel_lost',
    ({ connector }) => connector.channel.tell({ kind: 'interrupted' }),
  ],
  ['the member deletes their data', 'opted_out', ({ desk }) => desk.forget(ADA)],
  ['the bot stops', 'shutdown', ({ desk }) => desk[Symbol.asyncDispose]()],
];

test.each(ENDS)('closes the paid line within a second when %s', async (_name, reason, end) => {
  const place = await useStarted();
  const line = place.lines.last;
  const endedAtMs = place.clock.monotonic();

  const ending = Promise.resolve(end(place));
  await place.clock.advance(1_000);
  await ending;

  expect(line.closed?.reason).toBe(reason);
  expect((line.closed?.atMs ?? Infinity) - endedAtMs).toBeLessThan(1_000);
  expect(place.lines.running).toEqual([]);
});

test.each([
  ['left', ({ connector }: Desk) => connector.channel.leaves(ADA)],
  ['member', ({ desk }: Desk) => desk.leave(by(ADA))],
  ['moderator', ({ desk }: Desk) => desk.leave(by(BEN, { isVoiceModerator: true }), ADA)],
])('stops listening at once and records within a second who ended the consent: %s', async (revoker, end) => {
  const place = await useStarted();
  const endedAtMs = place.clock.now();
  const revoked = async (): Promise<unknown> =>
    (await listVoiceConsents(place.db.kysely, ADA, 1))[0]?.revoked_by ?? null;
  const before = await revoked();

  await Promise.resolve(end(place));
  const isListenedTo = place.sound().lines.has(ADA);
  await expect.poll(revoked).toBe(revoker);

  expect([before, isListenedTo]).toEqual([null, false]);
  const [consent] = await listVoiceConsents(place.db.kysely, ADA, 1);
  expect((consent?.revoked_at_ms ?? Infinity) - endedAtMs).toBeLessThan(1_000);
});

test('closes the paid line after the idle time, and opens another with the next word', async () => {
  const { clock, lines, sound, desk } = await useStarted();
  const first = lines.last;

  await clock.advance(40_000);
  sound().speaks(ADA);
  await clock.advance(40_000);
  const stillOpen = first.isOpen;
  await clock.advance(21_000);
  const quiet = (await desk.status('3'))?.speakers[0]?.state;
  sound().speaks(ADA);
  await clock.advance(10);

  expect(stillOpen).toBe(true);
  expect(first.closed?.reason).toBe('idle');
  expect(quiet).toEqual({ kind: 'quiet' });
  expect(lines.running).toEqual([lines.last]);
  expect(sound().lines.get(ADA)).toBe(lines.last);
  expect(lines.last.request.minutes).toBe(9);
});

test('gives up a line that returns no sound while the member speaks, reports that, and tries another one', async () => {
  const { clock, lines, sound, desk } = await useStarted();
  const [first] = lines.all;
  const speaking = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      sound().speaks(ADA);
      await clock.advance(1_000);
    }
  };
  await speaking(15);
  const isAnsweredOpen = first?.isOpen;

  if (first) first.quietSinceMs = clock.monotonic();
  await clock.advance(15_000);
  await speaking(8);
  const isOpenSoFar = first?.isOpen;
  await speaking(3);
  const state = (await desk.status('3'))?.speakers[0]?.state;
  await speaking(3);

  expect([isAnsweredOpen, isOpenSoFar]).toEqual([true, true]);
  expect(first?.closed?.reason).toBe('unanswered');
  expect(state).toMatchObject({ kind: 'waiting', problem: expect.stringContaining('does not answer') });
  expect(lines.running).toEqual([lines.last]);
  expect(lines.last).not.toBe(first);
});

test('ends at its time limit and warns a minute before', async () => {
  const { clock, lines, panels, sound, connector } = await useStarted({ minutes: 2 });
  const speaking = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 10) {
      sound().speaks(ADA);
      await clock.advance(10_000);
    }
  };

  await speaking(60);
  const warned = panels.warnings.length;
  await speaking(60);

  expect(warned).toBe(1);
  expect(panels.warnings).toHaveLength(1);
  expect(lines.last.closed?.reason).toBe('stopped');
  expect(lines.last.closed?.atMs).toBeLessThanOrEqual(lines.last.openedAtMs + 120_000);
  expect(panels.shown?.phase).toEqual({ kind: 'ended', why: 'time_up' });
  expect(panels.shown?.convertedMs).toBeGreaterThan(110_000);
  expect(connector.channel.isLeft).toBe(true);
});

test('ends a while after the channel became empty', async () => {
  const { clock, connector, panels } = await useStarted();
  for (const userId of [ADA, BEN, CLEO]) connector.channel.leaves(userId);

  await clock.advance(20_000);
  const isLeftEarly = connector.channel.isLeft;
  await clock.advance(12_000);

  expect(isLeftEarly).toBe(false);
  expect(connector.channel.isLeft).toBe(true);
  expect(panels.shown?.phase).toEqual({ kind: 'ended', why: 'empty' });
});

test('must be joined again after leaving the channel', async () => {
  const { clock, connector, lines, sound, db } = await useStarted();

  connector.channel.leaves(ADA);
  connector.channel.enters(ADA);
  sound().speaks(ADA);
  await clock.advance(1_000);

  expect(sound().lines.has(ADA)).toBe(false);
  expect(lines.all).toHaveLength(1);
  expect((await listVoiceConsents(db.kysely, ADA, 1))[0]).toMatchObject({ revoked_by: 'left' });
});

test('continues with new lines after the connection was restored', async () => {
  const { clock, connector, lines, panels } = await useStarted();

  connector.channel.tell({ kind: 'interrupted' });
  await clock.advance(6_000);
  const meanwhile = panels.shown?.phase;
  connector.channel.tell({ kind: 'restored' });
  await clock.advance(1_000);

  expect(meanwhile).toEqual({ kind: 'interrupted' });
  expect(lines.all).toHaveLength(2);
  expect(lines.running).toHaveLength(1);
});

test('posts a deleted panel again once, and stops if that is deleted too', async () => {
  const { clock, panels, lines, settings, desk } = await useDesk();
  settings.hasStatus = false;
  const asked = await desk.start(by(ADA), { voiceId: nova.id, minutes: 10 });
  const agreeing = desk.agree(by(ADA), asked.kind === 'ask' ? asked.view.sessionId : '');
  await clock.advance(6_000);
  await agreeing;

  panels.messages.clear();
  await clock.advance(6_000);
  const anew = panels.messages.size;
  const openStill = lines.running.length;
  panels.messages.clear();
  await clock.advance(6_000);

  expect([anew, openStill]).toEqual([1, 1]);
  expect(lines.last.closed?.reason).toBe('undisclosed');
  expect(await desk.status('3')).toBeNull();
});

test('edits the panel at most every 5 s, and only if it changed', async () => {
  const { clock, panels, sound, desk } = await useStarted();

  for (let second = 0; second < 30; second++) {
    sound().speaks(ADA);
    await clock.advance(1_000);
  }
  const whileSpeaking = [...panels.edits];
  await desk.leave(by(ADA));
  await clock.advance(6_000);
  const before = panels.edits.length;
  await clock.advance(30_000);

  const gaps = whileSpeaking.slice(1).map((atMs, index) => atMs - (whileSpeaking[index] ?? 0));
  expect(whileSpeaking.length).toBeGreaterThanOrEqual(4);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
  expect(panels.edits).toHaveLength(before);
});

test('corrects the panel, the status and the consents that a crash left', async () => {
  const { clock, panels, make, statuses, db, sessionId } = await useStarted();
  const later = make();

  later.begin();
  await clock.advance(100);
  await later[Symbol.asyncDispose]();

  expect(panels.shown?.phase).toEqual({ kind: 'ended', why: 'crash' });
  expect(statuses.at(-1)).toBeNull();
  expect((await listVoiceConsents(db.kysely, ADA, 1))[0]).toMatchObject({
    session_id: sessionId,
    revoked_by: 'end',
  });
  expect(await db.kysely.selectFrom('voice_panels').selectAll().execute()).toEqual([]);
});

test('posts a new panel before the old one is too old to be edited', async () => {
  const { clock, panels, sound } = await useStarted({ minutes: 120 });
  const [first = ''] = panels.messages.keys();

  for (let minute = 0; minute < 52; minute++) {
    sound().speaks(ADA);
    await clock.advance(60_000);
  }

  expect([...panels.messages.keys()]).toHaveLength(1);
  expect(panels.messages.has(first)).toBe(false);
  expect(panels.shown?.phase).toEqual({ kind: 'on' });
});
