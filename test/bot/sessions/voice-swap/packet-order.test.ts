import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacketOrder } from '../../../../src/bot/sessions/voice-swap/packet-order.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';

function packet(sequence: number, ssrc = 1): SpeechPacket {
  return { opus: Uint8Array.of(sequence & 0xff), sequence: sequence & 0xffff, timestamp: 0, ssrc };
}

/**
 * Creates a packet order that records its output: packet numbers, `lost` with the next packet's number if that packet
 * is present, and `restart`.
 */
function order(): { order: PacketOrder; passed: (number | string)[] } {
  const passed: (number | string)[] = [];
  return {
    passed,
    order: new PacketOrder((ordered) => {
      if (ordered.kind === 'packet') passed.push(ordered.packet.sequence);
      else
        passed.push(ordered.kind === 'restart' ? 'restart' : `lost before ${ordered.next?.sequence ?? '?'}`);
    }),
  };
}

test('packets in order pass at once, also after the numbers start again', () => {
  const { order: sorter, passed } = order();
  for (const [n, sequence] of [65_534, 65_535, 0, 1].entries()) {
    sorter.push(packet(sequence));
    expect(passed).toHaveLength(n + 1);
  }
  expect(passed).toEqual([65_534, 65_535, 0, 1]);
  expect(sorter.counts).toEqual({ lost: 0, late: 0, duplicates: 0, reordered: 0, restarts: 0 });
});

test('two packets that overtook each other are put in order', () => {
  const { order: sorter, passed } = order();
  for (const sequence of [65_535, 1, 0, 2]) sorter.push(packet(sequence));
  expect(passed).toEqual([65_535, 0, 1, 2]);
  expect(sorter.counts).toMatchObject({ lost: 0, reordered: 1 });
});

test('a missing packet is waited for until too many wait, and reported with the next one', () => {
  const { order: sorter, passed } = order();
  for (const sequence of [1, 2, 4, 5, 6, 7]) sorter.push(packet(sequence));
  expect([passed, sorter.isWaiting]).toEqual([[1, 2], true]);
  sorter.push(packet(8));
  expect([passed, sorter.isWaiting]).toEqual([[1, 2, 'lost before 4', 4, 5, 6, 7, 8], false]);
});

test('flushing passes on the packets that wait', () => {
  const { order: sorter, passed } = order();
  for (const sequence of [1, 5]) sorter.push(packet(sequence));
  sorter.giveUp();
  sorter.giveUp();
  expect(passed).toEqual([1, 'lost before ?', 'lost before ?', 'lost before 5', 5]);
  expect(sorter.counts).toMatchObject({ lost: 3 });
});

test('repeated and late packets are dropped', () => {
  const { order: sorter, passed } = order();
  for (const sequence of [1, 1, 3, 3]) sorter.push(packet(sequence));
  sorter.giveUp();
  for (const sequence of [4, 2, 2, 5]) sorter.push(packet(sequence));
  expect(passed).toEqual([1, 'lost before 3', 3, 4, 5]);
  expect(sorter.counts).toMatchObject({ late: 2, duplicates: 2 });
});

test('another source is another stream, whatever its numbers', () => {
  const { order: sorter, passed } = order();
  for (const each of [packet(1), packet(3), packet(900, 2), packet(901, 2), packet(902, 2)])
    sorter.push(each);
  expect(passed).toEqual([1, 'lost before 3', 3, 'restart', 900, 901, 902]);
});

test('a gap of seconds is not filled, and a sender that restarts its numbers is heard again', () => {
  const { order: sorter, passed } = order();
  for (const sequence of [1000, 1200, 1201]) sorter.push(packet(sequence));
  sorter.giveUp();
  expect(passed.filter((each) => typeof each === 'string')).toHaveLength(5);
  for (let sequence = 800; sequence < 830; sequence++) sorter.push(packet(sequence));
  expect(passed.slice(-19)).toEqual(Array.from({ length: 19 }, (_, n) => 811 + n));
  sorter.push(packet(20_000));
  expect(passed.slice(-2)).toEqual(['restart', 20_000]);
});

test('numbers only rise and few packets wait, for packets in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 120 }), (sequences) => {
      const { order: sorter, passed } = order();
      let given = 0;
      for (const sequence of sequences) {
        sorter.push(packet(65_500 + sequence));
        given++;
        const numbers = passed.filter((each) => typeof each === 'number').length;
        expect(given - numbers - sorter.counts.late - sorter.counts.duplicates).toBeLessThanOrEqual(4);
      }
      const steps = passed
        .filter((each) => typeof each === 'number')
        .map((each) => (each - 65_500 + 65_536) % 65_536);
      const restarts = passed.filter((each) => each === 'restart').length;
      expect(steps.filter((step, n) => step <= (steps[n - 1] ?? -1))).toHaveLength(restarts);
    }),
  );
});

test('the result does not depend on the starting number, also where numbers wrap around', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant('give up' as const)), {
        maxLength: 20,
      }),
      fc.integer({ min: 65_516, max: 65_535 }),
      (events, first) => {
        const play = (from: number): unknown => {
          const { order: sorter, passed } = order();
          for (const event of events) {
            if (event === 'give up') sorter.giveUp();
            else sorter.push(packet(from + event));
          }
          const steps = passed.map((each) =>
            String(each).replace(/\d+/, (digits) => String((Number(digits) - from + 65_536) % 65_536)),
          );
          return { steps, counts: sorter.counts };
        };
        expect(play(first)).toEqual(play(1_000));
      },
    ),
    { numRuns: 2_000 },
  );
});
