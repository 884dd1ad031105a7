import { generateKeyPairSync, sign } from 'node:crypto';
import { DAVESession } from '@snazzah/davey';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCommit } from '../../src/sandbox/voice/dave/commit.ts';
import { type DaveAnswer, readDaveAnswer } from '../../src/sandbox/voice/dave/dave-frames.ts';
import { KEY_PACKAGE_BYTES_MAX, readKeyPackage } from '../../src/sandbox/voice/dave/key-package.ts';
import { MlsError } from '../../src/sandbox/voice/dave/mls-error.ts';
import { signedContent } from '../../src/sandbox/voice/dave/mls.ts';
import { u16, vector } from '../../src/sandbox/voice/dave/tls-bytes.ts';
import { TlsReader } from '../../src/sandbox/voice/dave/tls-reader.ts';
import { Welcome } from '../../src/sandbox/voice/dave/welcome.ts';
import { CHANNEL_ID, useDaveCall } from './use-dave-call.ts';

const USER_ID = '130000000000000001';

function davePackage(): Buffer {
  return new DAVESession(1, USER_ID, CHANNEL_ID).getSerializedKeyPackage();
}

/** Creates a commit with its Welcome, as a member does. */
function commitWelcome(): Buffer {
  const { join } = useDaveCall();
  const said: DaveAnswer[] = [];
  join();
  join((answer) => {
    if (answer.op === 28) said.push(answer);
    return answer;
  });
  const [commit] = said;
  if (!commit || commit.op !== 28) throw new Error('No commit');
  return Buffer.from(commit.payload);
}

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

/**
 * Returns the key package `original` with another encryption key in its leaf, and with a valid signature over
 * everything except the leaf.
 */
function forgedPackage(original: Buffer): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const reader = new TlsReader(original);
  reader.take(4);
  for (let key = 0; key < 2; key++) reader.vector();
  const start = reader.at;
  reader.vector();
  const head = Buffer.concat([original.subarray(0, start), vector(point)]);
  const leafRest = original.subarray(reader.at);
  const inner = new TlsReader(leafRest);
  inner.take(2);
  for (let list = 0; list < 6; list++) inner.vector();
  inner.take(17);
  for (let list = 0; list < 3; list++) inner.vector();
  const toSign = Buffer.concat([head, leafRest.subarray(0, inner.at)]);
  const signature = sign('sha256', signedContent('KeyPackageTBS', toSign), privateKey);
  return Buffer.concat([toSign, vector(signature)]);
}

function codeOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof MlsError) return error.code;
    throw error;
  }
}

describe('vectors', () => {
  test.each([0, 63, 64, 16_383, 16_384, 70_000])('of %i bytes are read as they were written', (size) => {
    const reader = new TlsReader(Buffer.concat([vector(Buffer.alloc(size, 7)), u16(5)]));
    expect(reader.vector()).toEqual(Buffer.alloc(size, 7));
    expect(reader.u16()).toBe(5);
    expect(reader.left).toBe(0);
  });

  test.each([
    ['longer than the data', '05aabb'],
    ['with a length in more bytes than necessary', '4001aa'],
    ['with a length of 62 bits', 'c0000000000000010a'],
    ['without a length', ''],
  ])('%s are rejected', (_name, hex) => {
    expect(codeOf(() => new TlsReader(Buffer.from(hex, 'hex')).vector())).toBe('malformed');
  });
});

describe('a key package', () => {
  test('is accepted bare and as a message', () => {
    const bare = davePackage();
    const wrapped = Buffer.concat([u16(1), u16(5), bare]);
    expect(readKeyPackage(bare, USER_ID).bytes).toEqual(bare);
    expect(readKeyPackage(wrapped, USER_ID).ref).toEqual(readKeyPackage(bare, USER_ID).ref);
  });

  test('of another member is rejected', () => {
    expect(codeOf(() => readKeyPackage(davePackage(), '130000000000000002'))).toBe('invalid');
  });

  test('whose leaf was changed after the signature is rejected', () => {
    const bytes = forgedPackage(davePackage());
    expect(codeOf(() => readKeyPackage(bytes, USER_ID))).toBe('invalid');
  });

  test('that is too large is rejected', () => {
    expect(codeOf(() => readKeyPackage(Buffer.alloc(KEY_PACKAGE_BYTES_MAX + 1), USER_ID))).toBe('malformed');
  });

  test('with any wrong bit is rejected', () => {
    const bytes = davePackage();
    for (let at = 0; at < bytes.length; at += 3) {
      const wrong = Buffer.from(bytes);
      wrong.writeUInt8(wrong.readUInt8(at) ^ 4, at);
      expect(codeOf(() => readKeyPackage(wrong, USER_ID))).toMatch(/malformed|invalid/);
    }
  });

  test('truncated anywhere is rejected', () => {
    const bytes = davePackage();
    for (let end = 0; end < bytes.length; end++) {
      expect(codeOf(() => readKeyPackage(bytes.subarray(0, end), USER_ID))).toBe('malformed');
    }
  });
});

describe('a commit and its Welcome', () => {
  test('are split at the end of the commit', () => {
    const payload = commitWelcome();
    const { commit, rest } = readCommit(payload);
    expect(commit.proposalRefs).toHaveLength(1);
    expect(Buffer.concat([commit.message, rest])).toEqual(payload);
    expect(Welcome.read(rest).size).toBe(1);
  });

  test('truncated anywhere are rejected', () => {
    const payload = commitWelcome();
    const { commit, rest } = readCommit(payload);
    for (let end = 0; end < commit.message.length; end++) {
      expect(codeOf(() => readCommit(payload.subarray(0, end)))).toBe('malformed');
    }
    for (let end = 0; end < rest.length; end++) {
      expect(codeOf(() => Welcome.read(rest.subarray(0, end)))).toBe('malformed');
    }
  });
});

describe('a hostile client', () => {
  test('cannot make the server fail with any bytes, and disturbs nobody', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    const code = first.privacyCode;
    const good = commitWelcome();
    const mutated = fc
      .tuple(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length))
      .map(([at, value, end]) => {
        const bytes = Buffer.from(good);
        bytes.writeUInt8(value, at);
        return bytes.subarray(0, end);
      });
    const payload = fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated);
    fc.assert(
      fc.property(payload, (bytes) => {
        call.receive(second, { op: 28, payload: bytes });
      }),
      { numRuns: 500 },
    );
    call.receive(second, { op: 26, payload: Buffer.alloc(50) });
    expect(misuse.length).toBeGreaterThan(100);
    expect([call.epoch, first.privacyCode, second.privacyCode]).toEqual([1n, code, code]);
  });

  test('cannot use the commit of another member or of another group as its own', () => {
    const { call, join, misuse } = useDaveCall();
    const held: Buffer[] = [];
    let holds = false;
    const hold = (answer: DaveAnswer): DaveAnswer | undefined => {
      if (!holds || answer.op !== 28) return answer;
      held.push(Buffer.from(answer.payload));
      return undefined;
    };
    const members = [join(hold), join(hold)];
    holds = true;
    join(hold);
    const [ofOne, ofOther] = held;
    if (!ofOne || !ofOther) throw new Error('No commits');
    const [first, second] = members;
    if (!first || !second) throw new Error('No members');
    const isOfFirst = readCommit(ofOne).commit.senderLeaf === 1;
    call.receive(isOfFirst ? second : first, { op: 28, payload: ofOne });
    expect(misuse).toEqual([expect.stringContaining('Cannot accept a commit from another member')]);
    call.receive(first, { op: 28, payload: changed(ofOne, 5) });
    expect(misuse.at(-1)).toContain('Cannot accept a commit for another group');
    expect(call.epoch).toBe(1n);
    call.receive(isOfFirst ? first : second, { op: 28, payload: ofOne });
    expect(call.epoch).toBe(2n);
  });

  test('cannot add a member without admitting them', () => {
    const { call, join, misuse } = useDaveCall();
    const spoil = (answer: DaveAnswer): DaveAnswer => {
      if (answer.op !== 28) return answer;
      const { commit } = readCommit(answer.payload);
      // Changes a byte of the key package's name; the cipher suite and two lengths precede it.
      return { op: 28, payload: changed(Buffer.from(answer.payload), commit.message.length + 8) };
    };
    join(spoil);
    join(spoil);
    expect(misuse).toEqual([
      expect.stringContaining('its Welcome is not for the members that it adds'),
      expect.stringContaining('its Welcome is not for the members that it adds'),
    ]);
    expect(call.epoch).toBe(0n);
  });

  test('is ignored when it uses opcodes of the server', () => {
    expect(readDaveAnswer(Buffer.from([27, 1, 2]))).toBeUndefined();
    expect(readDaveAnswer(Buffer.alloc(0))).toBeUndefined();
    expect(readDaveAnswer(Buffer.from([26, 1, 2]))).toEqual({ op: 26, payload: Buffer.from([1, 2]) });
  });
});
