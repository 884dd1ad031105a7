import { DAVESession } from '@snazzah/davey';
import { readCommit } from '../../../../src/sandbox/voice/dave/commit.ts';
import { readDaveAnswer } from '../../../../src/sandbox/voice/dave/dave-frames.ts';
import { readKeyPackage } from '../../../../src/sandbox/voice/dave/key-package.ts';
import { MlsError } from '../../../../src/sandbox/voice/dave/mls-error.ts';
import {
  CONTENT_TYPES,
  MLS_VERSION,
  SENDER_TYPES,
  WIRE_FORMATS,
} from '../../../../src/sandbox/voice/dave/mls.ts';
import { vector } from '../../../../src/sandbox/voice/dave/tls-bytes.ts';
import { Welcome } from '../../../../src/sandbox/voice/dave/welcome.ts';
import { Hand } from '../grammar/hand.ts';
import { u16, u32, u64, u8 } from '../grammar/numbers.ts';
import { type FuzzTarget, demand } from '../target.ts';

const USER_ID = '158049329150427136';
const CHANNEL_ID = '927310423890473011';
const KEY_PACKAGE = 26;
const COMMIT = 28;
const CIPHER_SUITE = 2;
const BY_REFERENCE = 2;

/**
 * Clients' messages about a call's keys, as bytes: the opcode, then key packages, commits and Welcomes.
 */
export const dave: FuzzTarget = {
  name: 'dave',
  seeds: () => {
    const own = new DAVESession(1, USER_ID, CHANNEL_ID).getSerializedKeyPackage();
    return Promise.resolve([Buffer.concat([u8(KEY_PACKAGE), own])]);
  },
  generate(random, [own = Buffer.alloc(0)]) {
    const hand = new Hand(random, { liePercent: 8 });
    if (random.happens(20)) return own;
    const references = hand.times(6, () =>
      Buffer.concat([u8(hand.number(BY_REFERENCE, 8)), vector(random.bytes(32))]),
    );
    const commit = [
      u16(hand.number(MLS_VERSION, 16)),
      u16(hand.number(WIRE_FORMATS.publicMessage, 16)),
      list(hand, u64(BigInt(CHANNEL_ID))),
      u64(1),
      u8(hand.number(SENDER_TYPES.member, 8)),
      u32(hand.number(0, 32)),
      list(hand),
      u8(hand.number(CONTENT_TYPES.commit, 8)),
      list(hand, Buffer.concat(references)),
      u8(0),
      ...Array.from({ length: 3 }, () => list(hand, random.bytes(32))),
    ];
    const secrets = hand.times(4, () =>
      Buffer.concat([vector(random.bytes(32)), vector(random.bytes(32)), vector(random.bytes(48))]),
    );
    const welcome = [
      u16(hand.number(CIPHER_SUITE, 16)),
      list(hand, Buffer.concat(secrets)),
      list(hand, random.bytes(random.count(500))),
    ];
    return Buffer.concat([u8(COMMIT), ...commit, ...(random.happens(60) ? welcome : [])]);
  },
  run(input) {
    const answer = readDaveAnswer(input);
    if (!answer || !('payload' in answer)) return 'refused';
    try {
      if (answer.op === KEY_PACKAGE) {
        demand(
          readKeyPackage(answer.payload, USER_ID).userId === USER_ID,
          'a key package of another member is accepted',
        );
        return 'accepted';
      }
      const { commit, rest } = readCommit(answer.payload);
      demand(commit.message.length + rest.length === answer.payload.length, 'a part of a commit is lost');
      if (rest.length > 0) Welcome.read(rest);
      return 'accepted';
    } catch (error) {
      if (error instanceof MlsError) return 'refused';
      throw error;
    }
  },
};

function list(hand: Hand, ...parts: readonly Buffer[]): Buffer {
  const whole = vector(...parts);
  if (!hand.lies()) return whole;
  return Buffer.concat([hand.random.pick([u8(0x3f), u32(0xbfff_ffff), u8(0xff), u16(0x4000)]), ...parts]);
}
