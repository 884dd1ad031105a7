import { describe, expect, test } from 'vitest';
import type { DaveAnswer, DaveMessage } from '../../src/sandbox/voice/dave/dave-frames.ts';
import { rekey } from '../../src/sandbox/voice/dave/rekey.ts';
import { TRANSITION_TIMEOUT_MS } from '../../src/sandbox/voice/dave/transitions.ts';
import { CHANNEL_ID, PlainClient, frame, framesHeard, useDaveCall } from './use-dave-call.ts';

const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

describe('a call', () => {
  test('is encrypted as soon as two members are present, and both see the same code', () => {
    const { call, join, misuse } = useDaveCall();
    const first = join();
    expect(first.isEncrypted).toBe(false);
    expect(first.encrypt(frame(1))).toBeUndefined();
    const second = join();
    expect(call.epoch).toBe(1n);
    expect([first.isEncrypted, second.isEncrypted]).toEqual([true, true]);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(first.privacyCode).toMatch(/^\d{30}$/);
    expect(second.privacyCode).toBe(first.privacyCode);
    expect(first.encrypt(frame(1))?.includes(frame(1).subarray(2))).toBe(false);
    expect(misuse).toEqual([]);
  });

  test('passes silence in plaintext, and nothing else', () => {
    const { join } = useDaveCall();
    const [first, second] = [join(), join()];
    expect(first.encrypt(SILENCE)).toEqual(SILENCE);
    expect(second.decrypt(first.userId, SILENCE)).toEqual(SILENCE);
    expect(second.decrypt(first.userId, frame(1))).toBeUndefined();
    const sealed = first.encrypt(frame(1)) ?? Buffer.alloc(0);
    sealed.writeUInt8(sealed.readUInt8(3) ^ 1, 3);
    expect(second.decrypt(first.userId, sealed)).toBeUndefined();
    expect(second.counts).toEqual({ decrypted: 0, lost: 1, plain: 1 });
  });

  test('advances to another epoch when a member joins or leaves', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    const code = first.privacyCode;
    const third = join();
    expect(call.epoch).toBe(2n);
    expect(third.privacyCode).toBe(first.privacyCode);
    expect(first.privacyCode).not.toBe(code);
    expect([framesHeard(third, first), framesHeard(second, third)]).toEqual([5, 5]);
    call.leave(third);
    expect(call.epoch).toBe(3n);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(framesHeard(first, third)).toBe(0);
    expect(misuse).toEqual([]);
  });

  test('starts again for a single remaining member, and for members who return', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    call.leave(second);
    expect(first.heard.slice(-2)).toEqual([
      { op: 24, d: { protocol_version: 1, epoch: 1 } },
      { op: 21, d: { protocol_version: 1, transition_id: 0 } },
    ]);
    expect(call.epoch).toBe(0n);
    const third = join();
    expect(call.epoch).toBe(1n);
    expect([framesHeard(first, third), framesHeard(third, first)]).toEqual([5, 5]);
    call.leave(first);
    call.leave(third);
    const [fourth, fifth] = [join(), join()];
    expect(call.epoch).toBe(1n);
    expect([framesHeard(fourth, fifth), fifth.privacyCode]).toEqual([5, fourth.privacyCode]);
    expect(misuse).toEqual([]);
  });

  test('of six members has one code, also after the first and the fourth have left and two more have joined', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second, third, fourth, fifth, sixth] = [join(), join(), join(), join(), join(), join()];
    call.leave(first);
    call.leave(fourth);
    const all = [second, third, fifth, sixth, join(), join()];
    expect(new Set(all.map(({ privacyCode }) => privacyCode))).toEqual(new Set([second.privacyCode]));
    for (const from of all) {
      for (const to of all) expect(to === from || framesHeard(from, to) === 5).toBe(true);
    }
    expect(call.epoch).toBe(9n);
    expect(misuse).toEqual([]);
  });
});

describe('commits', () => {
  test('of several members compete: the first wins, and the others are not violations', () => {
    const { call, join, misuse } = useDaveCall();
    const held: DaveAnswer[] = [];
    const first = join((answer) => (answer.op === 28 ? void held.push(answer) : answer));
    const second = join((answer) => (answer.op === 28 ? void held.push(answer) : answer));
    expect([call.epoch, held.length]).toEqual([0n, 2]);
    const [ofSecond, ofFirst] = held;
    if (!ofFirst || !ofSecond) throw new Error('No commits');
    call.receive(second, ofSecond);
    call.receive(first, ofFirst);
    expect([call.epoch, first.opsHeard().at(-1), second.opsHeard().at(-1)]).toEqual([1n, 30, 29]);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(misuse).toEqual([]);
  });

  test('made before another member was proposed are ignored', () => {
    const { call, join, misuse } = useDaveCall();
    const held: DaveAnswer[] = [];
    const members = [
      join((answer) => (answer.op === 28 ? void held.push(answer) : answer)),
      join((answer) => (answer.op === 28 ? undefined : answer)),
      join((answer) => (answer.op === 28 ? undefined : answer)),
    ];
    const [first] = members;
    const [toOne, toTwo] = held;
    if (!first || !toOne || !toTwo) throw new Error('No commits');
    call.receive(first, toOne);
    expect(call.epoch).toBe(0n);
    call.receive(first, toTwo);
    expect(call.epoch).toBe(1n);
    expect(new Set(members.map(({ privacyCode }) => privacyCode)).size).toBe(1);
    expect(misuse).toEqual([]);
  });

  test('are made again when a waiting member leaves', () => {
    const { call, join, misuse } = useDaveCall();
    let holds = false;
    const hold = (answer: DaveAnswer): DaveAnswer | undefined =>
      holds && answer.op === 28 ? undefined : answer;
    const [first, second] = [join(hold), join(hold)];
    holds = true;
    const [third, fourth] = [join(hold), join(hold)];
    holds = false;
    call.leave(third);
    expect(call.epoch).toBe(2n);
    expect(fourth.privacyCode).toBe(first.privacyCode);
    expect([framesHeard(fourth, second), framesHeard(first, fourth)]).toEqual([5, 5]);
    expect(misuse).toEqual([]);
  });

  test('that are lost leave the new member out until there is another reason for a commit', () => {
    const { call, join } = useDaveCall();
    const [first, second] = [join(), join()];
    call.faults.loseCommits();
    const third = join();
    expect([call.epoch, third.isEncrypted, framesHeard(first, second)]).toEqual([1n, false, 5]);
    const fourth = join();
    expect(call.epoch).toBe(2n);
    expect(new Set([first, second, third, fourth].map(({ privacyCode }) => privacyCode)).size).toBe(1);
  });
});

describe('a member who cannot follow', () => {
  test('reports that, is removed and added again', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    call.faults.corruptWelcome();
    const third = join();
    expect(third.said.map(({ op }) => op)).toEqual([26, 31, 26, 23]);
    expect(call.epoch).toBe(3n);
    expect(new Set([first, second, third].map(({ privacyCode }) => privacyCode)).size).toBe(1);
    expect([framesHeard(third, first), framesHeard(second, third)]).toEqual([5, 5]);
    expect(misuse).toEqual([]);
  });

  test('does not delay the transition that it missed', () => {
    const { call, join } = useDaveCall();
    call.faults.corruptWelcome();
    call.faults.numbersFirst = true;
    // The second member's commit arrived first, and the first member's Welcome is the corrupt one.
    const [first, second] = [join(), join()];
    expect([executed(first.heard), executed(second.heard)]).toEqual([[2], [1, 2]]);
    expect(framesHeard(second, first)).toBe(5);
  });

  test('is the only one removed if it sends no key package', async () => {
    const { call, clock, join } = useDaveCall();
    const [first, second, third] = [join(), join(), join()];
    call.receive(third, { op: 31, d: { transition_id: 1 } });
    expect(call.epoch).toBe(2n);
    await clock.advance(TRANSITION_TIMEOUT_MS);
    expect([call.epoch, call.isMember(third), framesHeard(first, second)]).toEqual([3n, false, 5]);
    expect(framesHeard(first, third)).toBe(0);
  });

  test('who is the only committer makes all members form a new group', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    for (const member of [first, second]) call.receive(member, { op: 31, d: { transition_id: 1 } });
    expect(call.epoch).toBe(0n);
    for (const member of [first, second]) member.send({ op: 24, d: { protocol_version: 1, epoch: 1 } });
    expect(call.epoch).toBe(1n);
    expect([framesHeard(first, second), second.privacyCode]).toEqual([5, first.privacyCode]);
    expect(misuse).toEqual([]);
  });
});

describe('a transition', () => {
  test('is executed when all are ready', () => {
    const { call, join } = useDaveCall();
    const members = [join(), join(), join()];
    expect(members.map(({ heard }) => executed(heard))).toEqual([[1], [1], [1]]);
    call.restart();
    expect(executed(members[0]?.heard ?? [])).toEqual([1]);
  });

  test('into a first group is made at once, unless a fault delays it', () => {
    const usual = useDaveCall();
    const [first, second] = [usual.join(), usual.join()];
    expect([executed(first.heard), executed(second.heard)]).toEqual([[], []]);
    expect(first.said.map(({ op }) => op)).not.toContain(23);
    const { call, join } = useDaveCall();
    call.faults.numbersFirst = true;
    expect([join(), join()].map(({ heard }) => executed(heard))).toEqual([[1], [1]]);
  });

  test('waits two seconds for members that are not ready', async () => {
    const { clock, join } = useDaveCall();
    const [first] = [join(), join()];
    join((answer) => (answer.op === 23 ? undefined : answer));
    await clock.advance(TRANSITION_TIMEOUT_MS - 1);
    expect(executed(first.heard)).toEqual([]);
    await clock.advance(1);
    expect(executed(first.heard)).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('is executed later on request', async () => {
    const { call, clock, join } = useDaveCall();
    call.faults.executeDelayMs = 700;
    const [first] = [join(), join(), join()];
    await clock.advance(699);
    expect(executed(first.heard)).toEqual([]);
    await clock.advance(1);
    expect(executed(first.heard)).toEqual([1]);
  });

  test('does not wait for members who have left', () => {
    const { call, join } = useDaveCall();
    const [first, second] = [join(), join()];
    const third = join((answer) => (answer.op === 23 ? undefined : answer));
    expect(executed(first.heard)).toEqual([]);
    call.leave(third);
    expect(executed(first.heard)).toEqual([1, 2]);
    expect(framesHeard(first, second)).toBe(5);
  });
});

describe('without encryption', () => {
  test('a call continues when a member without encryption joins, and is encrypted again when they leave', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    const old = new PlainClient('130000000000000099');
    call.join(old);
    expect([call.version, old.version, old.heard.length]).toEqual([0, 0, 0]);
    expect(first.encrypt(frame(1))).toEqual(frame(1));
    expect(framesHeard(first, second)).toBe(5);
    expect(first.privacyCode).toBe('');
    call.leave(old);
    expect([call.version, call.epoch, first.isEncrypted]).toEqual([1, 1n, true]);
    expect(executed(first.heard)).toEqual([1, 2]);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(second.privacyCode).toBe(first.privacyCode);
    expect(misuse).toEqual([]);
  });

  test('frames from before a change are decrypted after it', () => {
    const { call, join } = useDaveCall();
    const [first, second] = [join(), join()];
    const sealed = first.encrypt(frame(1)) ?? Buffer.alloc(0);
    call.keepPlain(true);
    expect(second.decrypt(first.userId, sealed)).toEqual(frame(1));
    const plain = first.encrypt(frame(2)) ?? Buffer.alloc(0);
    call.keepPlain(false);
    expect(second.decrypt(first.userId, plain)).toEqual(frame(2));
    expect(first.encrypt(frame(3))).not.toEqual(frame(3));
  });

  test('frames are decrypted before all members have changed', () => {
    const { call, join } = useDaveCall();
    const [first, second] = [join(), join()];
    call.faults.executeDelayMs = 500;
    call.keepPlain(true);
    expect(first.encrypt(frame(1))).not.toEqual(frame(1));
    expect(second.decrypt(first.userId, frame(1))).toEqual(frame(1));
    expect(framesHeard(first, second)).toBe(5);
  });

  test('a change for which not everyone was ready is made before the change back', () => {
    const { call, join } = useDaveCall();
    const first = join();
    join((answer) => (answer.op === 23 ? undefined : answer));
    const before = first.heard.length;
    call.keepPlain(true);
    expect(first.heard.slice(before).map(({ op }) => op)).toEqual([21]);
    call.keepPlain(false);
    expect(first.heard.slice(before, before + 3).map(({ op }) => op)).toEqual([21, 22, 24]);
  });

  test('a call starts on request', () => {
    const { call, join } = useDaveCall();
    call.keepPlain(true);
    const [first, second] = [join(), join()];
    expect([call.version, framesHeard(first, second), first.said]).toEqual([0, 5, []]);
    expect(first.isEncrypted).toBe(false);
  });
});

describe('on request', () => {
  test('all members agree on new keys twice, and see who joined and left', () => {
    const { call, clock, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    const before = first.heard.length;
    rekey(call, { userId: '130000000000000077', channelId: CHANNEL_ID, clock });
    expect([call.epoch, call.clients.size]).toEqual([3n, 2]);
    expect(first.heard.slice(before).map(({ op }) => op)).toEqual([11, 27, 29, 22, 13, 27, 29, 22]);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(clock.pendingTimers).toBe(0);
    expect(misuse).toEqual([]);
  });

  test('a new group is formed, also by a single member', () => {
    const { call, join } = useDaveCall();
    const first = join();
    call.restart();
    expect(first.opsHeard()).toEqual([25, 24, 21]);
    const second = join();
    call.restart();
    expect([call.epoch, framesHeard(first, second), framesHeard(second, first)]).toEqual([1n, 5, 5]);
    expect(second.privacyCode).toBe(first.privacyCode);
  });
});

function executed(heard: readonly DaveMessage[]): number[] {
  return heard.flatMap((message) => (message.op === 22 ? [message.d.transition_id] : []));
}
