import { describe, expect, test } from 'vitest';
import { readHeard, writeMicrophone } from '../../../../src/sandbox/page/client/voice/frames.ts';
import { PacketOrder } from '../../../../src/sandbox/page/client/voice/packet-order.ts';
import { SpeechBuffer } from '../../../../src/sandbox/page/client/voice/speech-buffer.ts';
import { SpeechGate } from '../../../../src/sandbox/page/client/voice/speech-gate.ts';
import { readMicrophone, writeHeard } from '../../../../src/sandbox/page/frames.ts';

const PACKET = 960;
/** The number of samples that Web Audio requests at a time. */
const QUANTUM = 128;

function speech(value: number, packets: number): Float32Array {
  return new Float32Array(packets * PACKET).fill(value);
}

function pull(buffer: SpeechBuffer, samples: number): Float32Array {
  const out = new Float32Array(samples);
  for (let at = 0; at < samples; at += QUANTUM) buffer.pull(out.subarray(at, at + QUANTUM));
  return out;
}

describe('the packets of a call', () => {
  test('are encoded and decoded in the same way by the sandbox and the page', () => {
    const opus = new Uint8Array([7, 8, 9]);
    const said = writeMicrophone(2 ** 32 + 960, opus);
    expect(readMicrophone(Buffer.from(said ?? []))).toEqual({ timestamp: 960, opus });
    const packet = { sequence: 65_535, timestamp: 4_294_967_295, ssrc: 77, atMs: 0, sizeBytes: 3, opus };
    const heard = writeHeard({ id: '1574173927855357952', bot: true }, packet, opus);
    expect(readHeard(Uint8Array.from(heard))).toEqual({
      converted: true,
      sequence: 65_535,
      timestamp: 4_294_967_295,
      ssrc: 77,
      userId: '1574173927855357952',
      opus,
    });
  });

  test('of other kinds and sizes are rejected', () => {
    expect(writeMicrophone(0, new Uint8Array(1_276))).toBeUndefined();
    expect(writeMicrophone(0, new Uint8Array(0))).toBeUndefined();
    for (const bytes of [new Uint8Array(0), new Uint8Array(20).fill(2), new Uint8Array(30).fill(3)]) {
      expect(readHeard(bytes)).toBeUndefined();
    }
  });

  test('reveal what was lost between them, unless it was a pause', () => {
    const order = new PacketOrder();
    const accept = (sequence: number, packets: number): number | undefined =>
      order.accept({ sequence: sequence & 0xffff, timestamp: (packets * PACKET) >>> 0 });
    expect(accept(65_534, 0)).toBe(0);
    expect(accept(65_535, 1)).toBe(0);
    expect(accept(65_537, 3)).toBe(PACKET);
    expect(accept(65_536, 2)).toBeUndefined();
    expect(accept(65_538, 500)).toBe(0);
    expect(accept(65_638, 600)).toBe(0);
  });
});

describe('the sound of a speaker', () => {
  test('starts when 60 ms are available, and is played to its end without a gap', () => {
    const buffer = new SpeechBuffer();
    buffer.push(speech(0.5, 2));
    expect(pull(buffer, QUANTUM).every((sample) => sample === 0)).toBe(true);
    buffer.push(speech(0.5, 1));
    const out = pull(buffer, 3 * PACKET + 2 * QUANTUM);
    expect(out.filter((sample) => sample === 0.5)).toHaveLength(3 * PACKET);
    expect(out.findIndex((sample) => sample === 0)).toBe(3 * PACKET);
  });

  test('is played after 100 ms although it is short', () => {
    const buffer = new SpeechBuffer();
    buffer.push(speech(0.5, 1));
    const out = pull(buffer, 60 * QUANTUM);
    expect(out.filter((sample) => sample === 0.5)).toHaveLength(PACKET);
    expect(out.indexOf(0.5)).toBeGreaterThan(4_500);
  });

  test('never waits longer than 400 ms: the oldest is dropped', () => {
    const buffer = new SpeechBuffer();
    for (let packet = 0; packet < 200; packet++) {
      buffer.push(speech(packet, 1));
      expect(buffer.length).toBeLessThanOrEqual(19_200);
    }
    const out = pull(buffer, buffer.length);
    expect(out.at(-1)).toBe(199);
    expect(out.every((sample, index) => index === 0 || sample >= (out[index - 1] ?? 0))).toBe(true);
    buffer.push(new Float32Array(1_000_000));
    expect(buffer.length).toBeLessThanOrEqual(19_200);
  });

  test('is mixed with that of others', () => {
    const buffer = new SpeechBuffer();
    buffer.push(speech(0.25, 3));
    const out = new Float32Array(QUANTUM).fill(0.5);
    buffer.pull(out);
    expect(out.every((sample) => sample === 0.75)).toBe(true);
  });
});

test('a microphone is sent during speech, with 80 ms before and 400 ms after it', () => {
  const gate = new SpeechGate<number>();
  const passed = Array.from({ length: 60 }, (_, packet) =>
    gate.pass(packet, packet === 10 ? 0.1 : 0.001),
  ).flat();
  expect([passed[0], passed.at(-1), passed.length]).toEqual([6, 29, 24]);
  expect(gate.isOpen).toBe(false);
});
