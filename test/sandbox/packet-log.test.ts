import { expect, test } from 'vitest';
import { PacketLog } from '../../src/sandbox/voice/packet-log.ts';

test('a log keeps only the last packets', () => {
  const log = new PacketLog(100);
  const packet = { ssrc: 1, timestamp: 0, atMs: 0, sizeBytes: 0, opus: null };
  for (let sequence = 0; sequence < 1000; sequence++) {
    log.add({ ...packet, sequence });
    expect(log.packets.length).toBe(Math.min(sequence + 1, 100));
  }
  expect([log.packets[0]?.sequence, log.packets.at(-1)?.sequence]).toEqual([900, 999]);
});
