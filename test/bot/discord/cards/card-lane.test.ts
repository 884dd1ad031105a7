import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { CardLane } from '../../../../src/bot/discord/cards/card-lane.ts';

/** Creates a lane that records what it sends. Unless `autoEnd` is set, a send ends only when the test ends it. */
function laneWithRecord(autoEnd: boolean) {
  const clock = new FakeClock();
  const lane = new CardLane(clock, 5_000);
  const record: string[] = [];
  const ends: (() => void)[] = [];
  const startMs = clock.now();
  const send = (name: string) => async (): Promise<void> => {
    record.push(`${name} at ${clock.now() - startMs}`);
    if (!autoEnd) await new Promise<void>((resolve) => void ends.push(resolve));
  };
  return { clock, lane, record, send, endOldest: () => ends.shift()?.() };
}

describe('CardLane', () => {
  test('sends the first progress at once and the newest of the rest after the interval', async () => {
    const { clock, lane, record, send } = laneWithRecord(true);

    lane.offer(send('a'));
    await clock.advance(1_000);
    lane.offer(send('b'));
    lane.offer(send('c'));
    await clock.advance(3_999);
    expect(record).toEqual(['a at 0']);
    await clock.advance(60_000);

    expect(record).toEqual(['a at 0', 'c at 5000']);
    expect(lane.idle).toBe(true);
  });

  test('sends at once again if nothing was sent during the interval', async () => {
    const { clock, lane, record, send } = laneWithRecord(true);

    lane.offer(send('a'));
    await clock.advance(5_000);
    lane.offer(send('b'));
    await clock.advance(0);

    expect(record).toEqual(['a at 0', 'b at 5000']);
    expect(clock.pendingTimers).toBe(1);
  });

  test('keeps the interval even when a send outlasts it', async () => {
    const { clock, lane, record, send, endOldest } = laneWithRecord(false);

    lane.offer(send('a'));
    await clock.advance(7_000);
    lane.offer(send('b'));
    lane.offer(send('c'));
    await clock.advance(5_000);
    endOldest();
    await clock.advance(0);
    lane.offer(send('d'));
    await clock.advance(4_999);
    expect(record).toEqual(['a at 0', 'c at 12000']);
    endOldest();
    await clock.advance(1);

    expect(record).toEqual(['a at 0', 'c at 12000', 'd at 17000']);
  });

  test('sends the final card after the send in progress, and nothing after it', async () => {
    const { clock, lane, record, send, endOldest } = laneWithRecord(false);

    lane.offer(send('progress'));
    await clock.advance(0);
    lane.offer(send('waits'));
    const final = lane.final(async () => record.push('final'));
    await clock.advance(60_000);
    expect(record).toEqual(['progress at 0']);
    endOldest();
    await final;
    lane.offer(send('late'));
    await clock.advance(60_000);

    expect(record).toEqual(['progress at 0', 'final']);
    expect(lane.idle).toBe(true);
  });

  test('drops waiting progress and its timer when the final card starts', async () => {
    const { clock, lane, record, send } = laneWithRecord(true);

    lane.offer(send('a'));
    await clock.advance(100);
    lane.offer(send('b'));
    await lane.final(async () => record.push('final'));

    expect(clock.pendingTimers).toBe(0);
    expect(record).toEqual(['a at 0', 'final']);
  });

  test('sends a repeated final card after a failed one', async () => {
    const { lane } = laneWithRecord(true);

    const first = lane.final(() => Promise.reject(new Error('No answer')));
    const second = lane.final(() => Promise.resolve('shown'));

    await expect(first).rejects.toThrow('No answer');
    await expect(second).resolves.toBe('shown');
  });

  test('sends a question at once in place of waiting progress, and continues right after it', async () => {
    const { clock, lane, record, send } = laneWithRecord(true);

    lane.offer(send('a'));
    await clock.advance(1_000);
    lane.offer(send('dropped'));
    await lane.interpose(send('question'));
    lane.offer(send('b'));
    lane.offer(send('c'));
    await clock.advance(60_000);

    expect(record).toEqual(['a at 0', 'question at 1000', 'b at 1000', 'c at 6000']);
    expect(lane.idle).toBe(true);
  });

  test('sends a question after the progress in progress, and a final card after both', async () => {
    const { clock, lane, record, send, endOldest } = laneWithRecord(false);

    lane.offer(send('a'));
    await clock.advance(0);
    lane.offer(send('dropped'));
    const question = lane.interpose(send('question'));
    const final = lane.final(async () => record.push('final'));
    endOldest();
    await clock.advance(0);
    endOldest();
    await Promise.all([question, final]);
    await clock.advance(60_000);

    expect(record).toEqual(['a at 0', 'question at 0', 'final']);
  });

  test('continues after a question that could not be sent', async () => {
    const { clock, lane, record, send } = laneWithRecord(true);

    await expect(lane.interpose(() => Promise.reject(new Error('No answer')))).rejects.toThrow('No answer');
    lane.offer(send('a'));
    await clock.advance(0);

    expect(record).toEqual(['a at 0']);
  });
});
