import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DaveAnswer } from '../../src/sandbox/voice/dave/dave-frames.ts';
import { rekey } from '../../src/sandbox/voice/dave/rekey.ts';
import { TRANSITION_TIMEOUT_MS } from '../../src/sandbox/voice/dave/transitions.ts';
import {
  CHANNEL_ID,
  type CallForTest,
  PlainClient,
  type WatchedMember,
  framesHeard,
  useDaveCall,
} from './use-dave-call.ts';

/** An event in a call; `who` selects one of the members in the call. */
type Step =
  | { readonly kind: 'join' | 'corrupt' | 'rekey' | 'restart' | 'lose' | 'wait' | 'plain' | 'deliver' }
  | { readonly kind: 'leave' | 'complain'; readonly who: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant<'join'>('join') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant<'leave'>('leave'), who: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant<'complain'>('complain'), who: fc.nat(9) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom<
        Step['kind'] & ('corrupt' | 'rekey' | 'restart' | 'lose' | 'wait' | 'plain' | 'deliver')
      >('corrupt', 'rekey', 'restart', 'lose', 'wait', 'plain', 'deliver'),
    }),
  },
);

const MEMBERS_MAX = 5;
/** The default takes a few seconds; `DAVE_RUNS=500` is a long run. */
const RUNS = Number(process.env['DAVE_RUNS'] ?? 15);

/**
 * A call whose members' answers may arrive late. Late answers from different members are interleaved, but those of
 * each member stay in order.
 */
class Scene {
  readonly #test: CallForTest = useDaveCall();
  readonly #late: { readonly member: WatchedMember; readonly answer: DaveAnswer }[] = [];
  readonly #old = new PlainClient('130000000000000099');
  #members: WatchedMember[] = [];
  #isLate: boolean;
  #rekeys = 0;

  constructor(isLate: boolean) {
    this.#isLate = isLate;
  }

  get misuse(): readonly string[] {
    return this.#test.misuse;
  }

  get pendingTimers(): number {
    return this.#test.clock.pendingTimers;
  }

  async run(taken: Step): Promise<void> {
    const { call, clock } = this.#test;
    switch (taken.kind) {
      case 'join':
        if (this.#members.length < MEMBERS_MAX) this.#join();
        return;
      case 'leave':
      case 'complain': {
        const member = this.#members[taken.who % Math.max(1, this.#members.length)];
        if (!member) return;
        // The member receives a useless Welcome (opcode 30), reports that it cannot follow, and starts again.
        if (taken.kind === 'complain') return member.send({ op: 30, payload: Buffer.alloc(40) });
        this.#members = this.#members.filter((other) => other !== member);
        return call.leave(member);
      }
      case 'corrupt':
        return call.faults.corruptWelcome();
      case 'rekey':
        return rekey(call, {
          userId: `13000000000000020${this.#rekeys++ % 10}`,
          channelId: CHANNEL_ID,
          clock,
        });
      case 'restart':
        return call.restart();
      case 'lose':
        return call.faults.loseCommits();
      case 'wait':
        return clock.advance(TRANSITION_TIMEOUT_MS);
      case 'plain':
        if (call.clients.has(this.#old)) return call.leave(this.#old);
        return call.join(this.#old);
      case 'deliver':
        return this.#deliver(this.#late.length >> 1);
    }
  }

  /**
   * Delivers everything and has three more members join. After that no member may be left out, even if commits
   * were lost earlier.
   */
  async settle(): Promise<readonly WatchedMember[]> {
    const { call, clock } = this.#test;
    call.leave(this.#old);
    this.#deliver(Infinity);
    this.#isLate = false;
    await clock.advance(20_000);
    this.#deliver(Infinity);
    for (let more = 0; more < 3; more++) this.#join();
    await clock.advance(20_000);
    return this.#members;
  }

  #join(): void {
    const member = this.#test.join((answer, from) => {
      if (!this.#isLate) return answer;
      this.#late.push({ member: from, answer });
      return undefined;
    });
    this.#members.push(member);
  }

  #deliver(count: number): void {
    for (let left = count; left > 0 && this.#late.length > 0; left--) {
      const next = this.#late.shift();
      if (next) this.#test.call.receive(next.member, next.answer);
    }
  }
}

test('in the end all members have the same keys, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 12 }), async (isLate, steps) => {
      const scene = new Scene(isLate);
      for (const taken of steps) await scene.run(taken);
      const members = await scene.settle();
      expect(new Set(members.map(({ privacyCode }) => privacyCode)).size).toBe(1);
      const [first, ...others] = members;
      for (const other of others) {
        if (first) expect([framesHeard(first, other), framesHeard(other, first)]).toEqual([5, 5]);
      }
      expect([scene.misuse, scene.pendingTimers]).toEqual([[], 0]);
    }),
    { numRuns: RUNS },
  );
});
