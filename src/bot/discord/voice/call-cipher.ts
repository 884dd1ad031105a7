import type { DAVESession } from '@discordjs/voice';
import type { Clock } from '../../../base/clock.ts';

/** A frame as its speaker made it, or why there is none. */
type OpenedFrame = Buffer | 'undecryptable' | 'still_encrypted';

const SILENCE: Buffer = Buffer.from([0xf8, 0xff, 0xfe]);
const AUDIO = 0;
/** Failures of a member in a row, none of anybody succeeding, after which the encryption is set up anew. */
const FAILURES_MAX = 36;
/** While the group changes, packets of before and after are on their way: only this long, in ms, is no failure. */
const UNSETTLED_MS_MAX = 3_000;
const REPAIR_MS_FIRST = 2_000;
const REPAIR_MS_MAX = 60_000;

interface Trouble {
  readonly sinceMs: number;
  failures: number;
}

/**
 * Opens the frames of a call that is encrypted end to end (DAVE), and has the encryption set up anew when nothing can
 * be read: the library does so only after transitions other than 0, which is what a call begins with.
 */
export class CallCipher {
  readonly #clock: Clock;
  /** For as long as nobody's packets can be read. */
  #trouble: Trouble | null = null;
  #repairs = 0;
  #nextRepairAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(dave: DAVESession | undefined, userId: string, frame: Buffer): OpenedFrame {
    const opened = this.reopen(dave, userId, frame);
    if (dave && isEncrypted(dave, userId) && typeof opened === 'string') this.miss(dave);
    return opened;
  }

  /** The same for a frame that could not be read before: another failure says nothing new. */
  reopen(dave: DAVESession | undefined, userId: string, frame: Buffer): OpenedFrame {
    if (frame.equals(SILENCE)) return frame;
    if (!dave || !isEncrypted(dave, userId)) return inTheClear(frame);
    const { session } = dave;
    if (session?.ready !== true) return 'still_encrypted';
    try {
      const opened = session.decrypt(userId, AUDIO, frame);
      this.#trouble = null;
      // Nothing was taken off: it was let through, in the clear or not.
      return opened.length === frame.length ? inTheClear(opened) : opened;
    } catch {
      return 'undecryptable';
    }
  }

  /** Sets the encryption of the call up anew, unless that was done a short while ago. */
  repair(dave: DAVESession): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs < this.#nextRepairAtMs) return;
    if (nowMs - this.#nextRepairAtMs > REPAIR_MS_MAX) this.#repairs = 0;
    this.#nextRepairAtMs =
      nowMs + Math.min(REPAIR_MS_MAX, REPAIR_MS_FIRST * 2 ** Math.min(this.#repairs, 10));
    this.#repairs += 1;
    this.#trouble = null;
    // One that got no answer would otherwise stand in the way for ever.
    dave.reinitializing = false;
    dave.recoverFromInvalidTransition(dave.lastTransitionId ?? 0);
  }

  /** Something could not be read, or sent, for want of keys. */
  miss(dave: DAVESession): void {
    const nowMs = this.#clock.monotonic();
    this.#trouble ??= { sinceMs: nowMs, failures: 0 };
    this.#trouble.failures += 1;
    if (this.#trouble.failures <= FAILURES_MAX) return;
    if (isUnsettled(dave) && nowMs - this.#trouble.sinceMs < UNSETTLED_MS_MAX) return;
    this.repair(dave);
  }
}

/** Whether what leaves now leaves as the call demands: encrypted, where it is encrypted. */
export function canEncrypt(dave: DAVESession | undefined): boolean {
  return !dave || dave.protocolVersion === 0 || dave.session?.ready === true;
}

function isEncrypted(dave: DAVESession, userId: string): boolean {
  if (dave.protocolVersion !== 0) return true;
  return dave.session?.ready === true && dave.session.canPassthrough(userId);
}

function isUnsettled(dave: DAVESession): boolean {
  const pending: unknown = Reflect.get(dave, 'pendingTransitions');
  const isPending = pending instanceof Map && pending.size > 0;
  return dave.reinitializing || isPending || dave.session?.ready !== true;
}

/** Frames that end so are still encrypted, whatever is said of the call. */
function inTheClear(frame: Buffer): OpenedFrame {
  return frame.at(-1) === 0xfa && frame.at(-2) === 0xfa ? 'still_encrypted' : frame;
}
