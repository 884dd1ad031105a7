import { VoiceReceiver } from '@discordjs/voice';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { SpeechReceiver } from '../../../../src/bot/discord/voice/speech-receiver.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { AES, KEY, type PlainPacket, Sealer, XCHACHA } from './sealed-packets.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';

const OPUS = Buffer.from([0x78, 1, 2, 3, 4]);
const EXTENSION = Buffer.from([0x10, 0xff, 0x00, 0x00]);
const ADA = '1001';
const BEN = '1002';
const ADAS = 100;
const BENS = 200;

interface Heard {
  readonly receiver: SpeechReceiver;
  readonly clock: FakeClock;
  readonly packets: SpeechPacket[];
  readonly hearing: Disposable;
  /** Encrypts one of Ada's packets and delivers it. */
  readonly arrives: (packet?: Partial<PlainPacket>) => void;
}

function hearAda({ mode = AES, identified = true } = {}): Heard {
  const clock = new FakeClock();
  const receiver = new SpeechReceiver(clock, silentLogger);
  const packets: SpeechPacket[] = [];
  const hearing = receiver.hear(ADA, (packet) => packets.push(packet));
  receiver.use({ mode, key: KEY, dave: undefined });
  if (identified) receiver.identify(ADA, ADAS);
  const sealer = new Sealer(mode);
  let sequence = 0;
  const arrives = (packet: Partial<PlainPacket> = {}): void => {
    const usual = { payload: OPUS, ssrc: ADAS, extension: EXTENSION, sequence: (sequence += 1) };
    receiver.receive(sealer.seal({ ...usual, ...packet }));
  };
  return { receiver, clock, packets, hearing, arrives };
}

function bytesOf(packets: readonly SpeechPacket[]): Uint8Array[] {
  return packets.map(({ opus }) => Buffer.from(opus));
}

describe('SpeechReceiver', () => {
  test.each([AES, XCHACHA])('delivers packets with the fields of their headers (%s)', (mode) => {
    const { packets, arrives, receiver } = hearAda({ mode });

    arrives({ sequence: 65_535, timestamp: 4_294_966_656 });
    arrives({ sequence: 0, timestamp: 320 });

    expect(packets).toMatchObject([
      { sequence: 65_535, timestamp: 4_294_966_656, ssrc: ADAS },
      { sequence: 0, timestamp: 320, ssrc: ADAS },
    ]);
    expect(bytesOf(packets)).toEqual([OPUS, OPUS]);
    expect(receiver.counts).toEqual({ undecryptable: 0, stillEncrypted: 0, foreign: 0, opened: 2 });
  });

  test('removes the extension and the padding, and nothing else', () => {
    const { packets, arrives, receiver } = hearAda();
    const likeAnExtension = Buffer.from([0xbe, 0xde, 0x00, 0x01, 9, 9, 9, 9]);

    arrives({ extension: Buffer.concat([EXTENSION, EXTENSION]), padding: 7 });
    arrives({ payload: likeAnExtension });
    receiver.receive(new Sealer().seal({ payload: likeAnExtension, ssrc: ADAS, sequence: 3 }));

    expect(bytesOf(packets)).toEqual([OPUS, likeAnExtension, likeAnExtension]);
  });

  test('reads ciphertext that starts like an extension correctly, unlike the library', () => {
    const { packets, receiver } = hearAda();
    const sealed = sealedLikeAnExtension();
    const upstream = new VoiceReceiver({ state: { status: 'signalling' } } as never);
    const parse = Reflect.get(upstream, 'parsePacket') as (...parts: unknown[]) => Buffer;

    receiver.receive(sealed);

    expect(bytesOf(packets)).toEqual([OPUS]);
    expect(parse.call(upstream, sealed, AES, Buffer.alloc(12), KEY, ADA)).not.toEqual(OPUS);
  });

  test('decrypts nothing from members whom nobody hears', () => {
    const { receiver, packets, arrives, hearing } = hearAda();
    receiver.identify(BEN, BENS);

    for (let sequence = 0; sequence < 50; sequence++) arrives({ ssrc: BENS, sequence });
    expect(receiver.counts).toMatchObject({ opened: 0, foreign: 50 });

    arrives();
    hearing[Symbol.dispose]();
    arrives();
    expect(packets).toHaveLength(1);
    expect(receiver.counts).toMatchObject({ opened: 1, foreign: 51 });
  });

  test('counts corrupt and forged packets and continues', () => {
    const { receiver, packets, arrives } = hearAda();
    const sealed = new Sealer().seal({ payload: OPUS, ssrc: ADAS });
    const spoofed = new Sealer(AES, new Uint8Array(32).fill(9)).seal({ payload: OPUS, ssrc: ADAS });

    for (let at = 12; at < sealed.length; at++) {
      const corrupt = Buffer.from(sealed);
      corrupt.writeUInt8(corrupt.readUInt8(at) ^ 0x40, at);
      receiver.receive(corrupt);
    }
    receiver.receive(spoofed);
    arrives({ padding: 3, payload: Buffer.alloc(0), extension: Buffer.alloc(0) });
    arrives();

    expect(receiver.counts.undecryptable).toBe(sealed.length - 12 + 2);
    expect(bytesOf(packets)).toEqual([OPUS]);
  });

  test('delivers a repeated packet once, and does not confuse it with a similar packet', () => {
    const { receiver, packets } = hearAda();
    const sealer = new Sealer();
    const [first, second] = [7, 8].map((sequence) => sealer.seal({ payload: OPUS, ssrc: ADAS, sequence }));
    const spoofed = Buffer.from(second ?? []);
    spoofed.writeUInt8(spoofed.readUInt8(20) ^ 1, 20);

    for (const datagram of [first, first, spoofed, second, first, second])
      receiver.receive(datagram ?? spoofed);

    expect(packets.map(({ sequence }) => sequence)).toEqual([7, 8]);
    expect(receiver.counts).toMatchObject({ undecryptable: 1, opened: 3 });
  });

  test('survives packets of any length and any first byte', () => {
    const { receiver, packets } = hearAda();
    const sealed = new Sealer().seal({ payload: OPUS, ssrc: ADAS, extension: EXTENSION });

    for (let length = 0; length < sealed.length; length++) receiver.receive(sealed.subarray(0, length));
    for (let first = 0; first < 256; first++) {
      if (first === sealed.readUInt8(0)) continue;
      const changed = Buffer.from(sealed);
      changed.writeUInt8(first, 0);
      receiver.receive(changed);
    }

    expect(packets).toEqual([]);
  });

  test('drops frames that are still encrypted end to end', () => {
    const { receiver, packets, arrives } = hearAda();

    arrives({ payload: Buffer.from([1, 2, 3, 0x0d, 0xfa, 0xfa]) });
    arrives({ payload: Buffer.from([0xf8, 0xff, 0xfe]) });

    expect(receiver.counts.stillEncrypted).toBe(1);
    expect(bytesOf(packets)).toEqual([Buffer.from([0xf8, 0xff, 0xfe])]);
  });

  test('keeps the first packets of a stream until the voice server names its speaker', async () => {
    const { receiver, clock, packets, arrives } = hearAda({ identified: false });

    arrives({ sequence: 1 });
    await clock.advance(150);
    for (let sequence = 2; sequence <= 5; sequence++) arrives({ sequence });
    await clock.advance(100);
    expect(receiver.counts.opened).toBe(0);
    receiver.identify(ADA, ADAS);
    arrives({ sequence: 6 });

    expect(packets.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 6]);
    expect(receiver.counts.foreign).toBe(1);
  });

  test('keeps ten packets each of at most eight unnamed streams, and none of members whom nobody hears', () => {
    const { receiver, packets, arrives } = hearAda({ identified: false });

    for (let sequence = 0; sequence < 30; sequence++) arrives({ sequence });
    expect(receiver.counts.foreign).toBe(20);
    for (let ssrc = 1_000; ssrc < 1_007; ssrc++) arrives({ ssrc });
    expect(receiver.counts.foreign).toBe(20);
    receiver.identify(BEN, 1_000);
    expect(receiver.counts).toMatchObject({ foreign: 21, opened: 0 });
    receiver.identify(ADA, ADAS);
    expect(packets.map(({ sequence }) => sequence)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);

    for (let ssrc = 2_000; ssrc < 3_000; ssrc++) arrives({ ssrc });
    expect(receiver.counts.foreign).toBe(21 + 6 + 1_000 - 8);
  });

  test('follows a member to another stream, and a stream to another member', () => {
    const { receiver, packets, arrives } = hearAda();

    receiver.identify(ADA, 101);
    arrives({ ssrc: 101 });
    receiver.identify(BEN, 101);
    arrives({ ssrc: 101 });
    receiver.identify(ADA, 102);
    arrives({ ssrc: 102 });
    arrives({ ssrc: ADAS });

    expect(packets.map(({ ssrc }) => ssrc)).toEqual([101, 102]);
  });

  test('forgets all streams when a new connection starts', () => {
    const { receiver, packets, arrives } = hearAda();

    receiver.restart();
    receiver.use({ mode: AES, key: KEY, dave: undefined });
    arrives();
    expect(packets).toEqual([]);
    receiver.identify(BEN, ADAS);
    arrives();

    expect(packets).toEqual([]);
    expect(receiver.counts).toMatchObject({ foreign: 2, opened: 0 });
  });

  test('delivers packets to the other listeners when one listener throws', () => {
    const lines: string[] = [];
    const receiver = new SpeechReceiver(new FakeClock(), recordingLogger(lines));
    receiver.use({ mode: AES, key: KEY, dave: undefined });
    receiver.identify(ADA, ADAS);
    const packets: SpeechPacket[] = [];
    receiver.hear(ADA, () => {
      throw new Error('No decoder');
    });
    receiver.hear(ADA, (packet) => packets.push(packet));

    receiver.receive(new Sealer().seal({ payload: OPUS, ssrc: ADAS }));

    expect(packets).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
});

/**
 * Encrypts a packet that has no extension, but whose ciphertext happens to start with `BE DE`. One packet in 65,536
 * does.
 */
function sealedLikeAnExtension(): Buffer {
  const sealer = new Sealer();
  for (let tries = 0; tries < 2_000_000; tries++) {
    const sealed = sealer.seal({ payload: OPUS, ssrc: ADAS });
    if (sealed.readUInt16BE(12) === 0xbede) return sealed;
  }
  throw new Error('No such packet found');
}
