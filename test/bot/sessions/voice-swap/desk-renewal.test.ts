import { expect, test } from 'vitest';
import { SessionError } from '../../../../src/bot/sessions/session-error.ts';
import { ADA, type Desk, by, useStarted } from './use-desk.ts';

/** Has Ada speak for this many seconds, saying one word every five seconds. */
async function speaks({ clock, sound }: Desk, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 5) {
    sound().speaks(ADA);
    await clock.advance(5_000);
  }
}

test('connects the next line before the last one ends, if admins allow it', async () => {
  const place = await useStarted({ mayRenew: true, minutes: 3 });
  const { lines, sound, panels } = place;
  const [first] = lines.all;

  await speaks(place, 200);

  const [, second] = lines.all;
  expect(second?.openedAtMs).toBeLessThan((first?.openedAtMs ?? 0) + 180_000);
  expect(first?.closed).toMatchObject({ reason: 'replaced' });
  expect(sound().lines.get(ADA)).toBe(second);
  expect(second?.isOpen).toBe(true);
  expect(panels.warnings).toEqual([]);
  expect(panels.shown?.phase).toEqual({ kind: 'on' });
});

test('ends in time if nobody spoke, though it could continue', async () => {
  const { clock, panels, connector } = await useStarted({ mayRenew: true, minutes: 3 });

  await clock.advance(181_000);

  expect(connector.channel.isLeft).toBe(true);
  expect(panels.shown?.phase).toEqual({ kind: 'ended', why: 'time_up' });
});

test('does not continue if admins do not allow it: a shorter grant is the end of a speaker', async () => {
  const place = await useStarted();
  const { desk, lines, sound } = place;
  await place.clock.advance(2_000);
  await desk.leave(by(ADA));
  lines.grantedMsMax = 30_000;
  await desk.join(by(ADA), { voiceId: 'nova' });

  await speaks(place, 40);
  const over = (await desk.status('3'))?.speakers[0]?.state;
  const isHeard = sound().lines.has(ADA);
  await desk.join(by(ADA));

  expect(over).toEqual({ kind: 'over', problem: expect.stringContaining('used up') });
  expect(isHeard).toBe(false);
  expect(lines.running).toHaveLength(1);
});

test('warns when the next line is refused, and ends that speaker when the time is used up', async () => {
  const place = await useStarted({ mayRenew: true, minutes: 3 });
  const { lines, desk, sound } = place;
  lines.refusal = new SessionError('refused');

  await speaks(place, 140);
  const warned = (await desk.status('3'))?.speakers[0]?.state;
  const openStill = lines.running.length;
  await speaks(place, 60);
  const after = (await desk.status('3'))?.speakers[0]?.state;

  expect(warned).toMatchObject({ kind: 'live', problem: expect.stringContaining('budget') });
  expect(openStill).toBe(1);
  expect(after).toEqual({ kind: 'over', problem: expect.stringContaining('budget') });
  expect(sound().lines.has(ADA)).toBe(false);
});

test('tries again with pauses while the service has no room, and finally gives up', async () => {
  const place = await useStarted();
  const { lines, clock, sound, desk } = place;
  lines.refusal = new SessionError('no_capacity');
  lines.last.ends({ kind: 'lost', code: 1006 });
  sound().speaks(ADA);
  const soon = (await desk.status('3'))?.speakers[0]?.state;

  await clock.advance(3_000);
  lines.refusal = null;
  sound().speaks(ADA);
  await clock.advance(10);
  const again = (await desk.status('3'))?.speakers[0]?.state;
  for (let turn = 0; turn < 12; turn++) {
    lines.last.ends({ kind: 'lost', code: 1011 });
    await clock.advance(20_000);
    sound().speaks(ADA);
    await clock.advance(10);
  }

  expect(soon).toMatchObject({ kind: 'waiting' });
  expect(again).toMatchObject({ kind: 'live' });
  expect((await desk.status('3'))?.speakers[0]?.state).toMatchObject({ kind: 'over' });
  expect(lines.all.length).toBeLessThan(10);
});
