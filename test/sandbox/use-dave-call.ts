import { onTestFinished } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { DaveCall } from '../../src/sandbox/voice/dave/dave-call.ts';
import type { DaveAnswer, DaveClient, DaveMessage } from '../../src/sandbox/voice/dave/dave-frames.ts';
import { DaveMember } from '../../src/sandbox/voice/dave/dave-member.ts';

/** A member whose messages to and from the voice server are recorded. */
export class WatchedMember extends DaveMember {
  readonly heard: DaveMessage[] = [];
  readonly said: DaveAnswer[] = [];

  override send(message: DaveMessage): void {
    this.heard.push(message);
    super.send(message);
  }

  opsHeard(): number[] {
    return this.heard.map(({ op }) => op);
  }
}

/** A client without encryption support. */
export class PlainClient implements DaveClient {
  readonly userId: string;
  readonly versionMax = 0;
  readonly heard: DaveMessage[] = [];
  version: number | undefined;

  constructor(userId: string) {
    this.userId = userId;
  }

  describe(version: number): void {
    this.version = version;
  }

  send(message: DaveMessage): void {
    this.heard.push(message);
  }
}

/** Changes a member's answer on its way, or drops it by returning `undefined`. */
export type Filter = (answer: DaveAnswer, member: WatchedMember) => DaveAnswer | undefined;

export interface CallForTest {
  readonly call: DaveCall;
  readonly clock: FakeClock;
  readonly misuse: string[];
  /** Has a new member join, and returns it; `filter` may change or withhold its answers. */
  readonly join: (filter?: Filter) => WatchedMember;
}

export const CHANNEL_ID = '1300000000000000001';

/** Creates a call whose members are davey sessions; its clock stands still. */
export function useDaveCall(options: Partial<ConstructorParameters<typeof DaveCall>[0]> = {}): CallForTest {
  const clock = new FakeClock();
  const misuse: string[] = [];
  const call = new DaveCall({
    channelId: CHANNEL_ID,
    clock,
    onMisuse: (_client, op, detail) => misuse.push(`op ${op}: ${detail}`),
    ...options,
  });
  onTestFinished(() => call[Symbol.dispose]());
  let count = 0;
  return {
    call,
    clock,
    misuse,
    join(filter = (answer) => answer) {
      const member: WatchedMember = new WatchedMember({
        userId: `130000000000000010${++count}`,
        channelId: CHANNEL_ID,
        answer: (answer) => {
          member.said.push(answer);
          const kept = filter(answer, member);
          if (kept) call.receive(member, kept);
        },
        present: () => [...call.clients].map(({ userId }) => userId),
      });
      call.join(member);
      return member;
    },
  };
}

/** Creates a frame that looks like Opus, different for each number. */
export function frame(number: number): Buffer {
  return Buffer.concat([Buffer.from([0x78, number & 0xff]), Buffer.alloc(60, (number * 7) & 0xff)]);
}

/** Returns how many of `count` frames from one member another member decrypts unchanged. */
export function framesHeard(from: DaveMember, to: DaveMember, count = 5): number {
  let heard = 0;
  for (let number = 0; number < count; number++) {
    const sent = from.encrypt(frame(number));
    if (sent && to.decrypt(from.userId, sent)?.equals(frame(number))) heard++;
  }
  return heard;
}
