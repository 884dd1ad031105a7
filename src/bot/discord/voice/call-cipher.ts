import type { DAVESession } from '@discordjs/voice';
import type { Clock } from '../../../base/clock.ts';

/** A decrypted frame, or the reason why there is none. */
type OpenedFrame = Buffer | 'undecryptable' | 'still_encrypted';

const SILENCE: Buffer = Buffer.from([0xf8, 0xff, 0xfe]);
const AUDIO = 0;
/** The encryption is set up again if more than this many consecutive frames, from any members, cannot be decrypted. */
const FAILURES_MAX = 36;
/**
 * Packets from before and after a change in the call's membership overlap. While such a change is in progress, failures
 * lead to no new setup for this many milliseconds.
 */
const UNSETTLED_MS_MAX = 3_000;
const REPAIR_MS_FIRST = 2_000;
const REPAIR_MS_MAX = 60_000;

interface Trouble {
  readonly sinceMs: number;
  failures: number;
}

/**
 * Decrypts the frames in a call with end-to-end encryption (DAVE). If no frame can be decrypted, it sets up the
 * encryption again. The library itself does so only after transitions other than 0, but a call starts with
 * transition 0.
 */
export class CallCipher {
  readonly #clock: Clock;
  /** The failures since a frame was last decrypted; null if there are none. */
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

  /** Tries again to decrypt a frame that failed before; another failure of the same frame does not count. */
  reopen(dave: DAVESession | undefined, userId: string, frame: Buffer): OpenedFrame {
    if (frame.equals(SILENCE)) return frame;
    if (!dave || !isEncrypted(dave, userId)) return inTheClear(frame);
    const { session } = dave;
    if (session?.ready !== true) return 'still_encrypted';
    try {
      const opened = session.decrypt(userId, AUDIO, frame);
      this.#trouble = null;
      // If the frame has kept its full length, the library let it through without decrypting it.
      return opened.length === frame.length ? inTheClear(opened) : opened;
    } catch {
      return 'undecryptable';
    }
  }

  /** Sets up the encryption of the call again, unless that was done shortly before. */
  repair(dave: DAVESession): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs < this.#nextRepairAtMs) return;
    if (nowMs - this.#nextRepairAtMs > REPAIR_MS_MAX) this.#repairs = 0;
    this.#nextRepairAtMs =
      nowMs + Math.min(REPAIR_MS_MAX, REPAIR_MS_FIRST * 2 ** Math.min(this.#repairs, 10));
    this.#repairs += 1;
    this.#trouble = null;
    // Otherwise, a setup that got no answer would block all later setups.
    dave.reinitializing = false;
    dave.recoverFromInvalidTransition(dave.lastTransitionId ?? 0);
  }

  /** Counts a frame that could not be decrypted or sent because keys are missing. */
  miss(dave: DAVESession): void {
    const nowMs = this.#clock.monotonic();
    this.#trouble ??= { sinceMs: nowMs, failures: 0 };
    this.#trouble.failures += 1;
    if (this.#trouble.failures <= FAILURES_MAX) return;
    if (isUnsettled(dave) && nowMs - this.#trouble.sinceMs < UNSETTLED_MS_MAX) return;
    this.repair(dave);
  }
}

/** Returns whether packets can be sent now: either they can be encrypted, or the call requires no encryption. */
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

/** Frames that end with these bytes are still encrypted, whatever the state of the call. */
function inTheClear(frame: Buffer): OpenedFrame {
  return frame.at(-1) === 0xfa && frame.at(-2) === 0xfa ? 'still_encrypted' : frame;
}
