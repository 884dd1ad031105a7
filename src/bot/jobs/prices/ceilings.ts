import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import type { Capability } from '../../../media-api/wire.ts';

/**
 * The number of accepted submissions between two attempts above the ceiling. At most one submission in eleven is above
 * it.
 */
const PROBE_GAP = 10;
const PROBE_GAP_MAX = 160;
/**
 * After this time without a submission, one attempt above the ceiling is allowed. The time doubles with each such
 * attempt that fails.
 */
const STALL_MS = 2_000;
const STALL_MS_MAX = 3_600_000;
/** After a successful attempt, the ceiling rises by this share, but at least by one. */
const RISE = 0.1;
const PAUSE: Backoff = { delayMsFirst: 1_000, delayMsMax: 15_000 };

interface Ceiling {
  /** The number of the capability's jobs that may be at the service or in a running submission. */
  jobsMax: number;
  /**
   * The number of accepted submissions since the last attempt above `jobsMax`, and the number required before the next
   * attempt.
   */
  accepted: number;
  gap: number;
  /**
   * When a submission was last accepted or refused (epoch milliseconds), and how long after that an attempt above
   * `jobsMax` is allowed.
   */
  triedAtMs: number;
  stallMs: number;
  /** The number of refusals in a row, and the end of the pause after them (epoch milliseconds). */
  refusals: number;
  notBeforeMs: number;
  readonly underWay: Set<string>;
  probe: string | null;
  /**
   * The number of jobs at the service at the last count, and the number of submissions under way immediately before
   * that count.
   */
  atService: number;
  underWayBefore: number;
}

/**
 * Learns how many jobs of each capability the service accepts at the same time, because the service does not state the
 * number. An `at_capacity` response lowers the ceiling to the number of jobs that were at the service. From time to
 * time, one submission tries to exceed the ceiling.
 */
export class Ceilings {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #ceilings = new Map<Capability, Ceiling>();

  constructor(options: { readonly clock: Clock; readonly log: Logger; readonly random?: () => number }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#random = options.random ?? Math.random;
  }

  /**
   * Returns the number at which a count of the jobs at the service may stop, because a larger number makes no
   * difference; 0 if no count is needed. Must be called immediately before the count.
   */
  countUpTo(capability: Capability): number {
    const ceiling = this.#of(capability);
    ceiling.underWayBefore = ceiling.underWay.size;
    const { jobsMax } = ceiling;
    return Number.isFinite(jobsMax) ? jobsMax + 1 : 0;
  }

  /** Returns whether one more job may be submitted while `atService` jobs are at the service. */
  hasRoom(capability: Capability, atService: number): boolean {
    const ceiling = this.#of(capability);
    // A job whose submission ended during the count may be at the service without being counted.
    ceiling.atService = atService + Math.max(0, ceiling.underWayBefore - ceiling.underWay.size);
    const pauseMs = ceiling.notBeforeMs - this.#clock.now();
    // A pause that seems longer than the longest possible one means that the clock was set back.
    if (pauseMs > 0 && pauseMs <= PAUSE.delayMsMax) return false;
    return inFlight(ceiling) < ceiling.jobsMax || this.#mayProbe(ceiling);
  }

  /** Records that a submission of the job starts. It counts as under way until `refused` or `left` is called. */
  enter(capability: Capability, jobId: string): void {
    const ceiling = this.#of(capability);
    if (inFlight(ceiling) >= ceiling.jobsMax) {
      ceiling.probe = jobId;
      ceiling.accepted = 0;
    }
    ceiling.underWay.add(jobId);
  }

  /** Records that the service accepted the job. Its submission still counts as under way until `left` is called. */
  accepted(capability: Capability, jobId: string): void {
    const ceiling = this.#of(capability);
    ceiling.refusals = 0;
    ceiling.notBeforeMs = 0;
    ceiling.accepted += 1;
    ceiling.triedAtMs = this.#clock.now();
    if (ceiling.probe !== jobId) return;
    ceiling.probe = null;
    ceiling.gap = PROBE_GAP;
    ceiling.stallMs = Math.max(STALL_MS, ceiling.stallMs / 2);
    ceiling.jobsMax += Math.max(1, Math.floor(ceiling.jobsMax * RISE));
  }

  /**
   * Records that the service refused this job because the service is `full` or has `no_capacity` at all. Returns when
   * the job may be tried again (epoch milliseconds). The delay is short at first and grows with each refusal. It is
   * partly random, so that not all jobs are tried at the same moment.
   */
  refused(capability: Capability, jobId: string, why: 'full' | 'no_capacity'): number {
    const ceiling = this.#of(capability);
    const wasProbe = ceiling.probe === jobId;
    ceiling.underWay.delete(jobId);
    ceiling.triedAtMs = this.#clock.now();
    if (wasProbe) {
      ceiling.probe = null;
      ceiling.gap = Math.min(PROBE_GAP_MAX, ceiling.gap * 2);
      ceiling.stallMs = Math.min(STALL_MS_MAX, ceiling.stallMs * 2);
      return this.#clock.now() + backoffMs(PAUSE, 1, this.#random);
    }
    ceiling.refusals += 1;
    const againAtMs = this.#clock.now() + backoffMs(PAUSE, ceiling.refusals, this.#random);
    ceiling.notBeforeMs = againAtMs;
    const seen = Math.max(1, inFlight(ceiling));
    if (why === 'full' && seen < ceiling.jobsMax) {
      this.#log.info(
        { capability, jobsMax: seen },
        'The service accepts no more jobs of this capability at the same time',
      );
      ceiling.jobsMax = seen;
      ceiling.accepted = 0;
    }
    return againAtMs;
  }

  /** Records that the submission of the job ended, whatever the outcome. */
  left(capability: Capability, jobId: string): void {
    const ceiling = this.#of(capability);
    ceiling.underWay.delete(jobId);
    if (ceiling.probe === jobId) ceiling.probe = null;
  }

  #mayProbe(ceiling: Ceiling): boolean {
    if (ceiling.probe !== null) return false;
    // Jobs may be at the service for hours. Without an attempt, the bot would not learn that there is room again.
    const isStalled = Math.abs(this.#clock.now() - ceiling.triedAtMs) >= ceiling.stallMs;
    return isStalled || (ceiling.accepted >= ceiling.gap && inFlight(ceiling) === ceiling.jobsMax);
  }

  #of(capability: Capability): Ceiling {
    const known = this.#ceilings.get(capability);
    if (known) return known;
    const fresh: Ceiling = {
      jobsMax: Infinity,
      accepted: 0,
      gap: PROBE_GAP,
      triedAtMs: 0,
      stallMs: STALL_MS,
      refusals: 0,
      notBeforeMs: 0,
      underWay: new Set(),
      probe: null,
      atService: 0,
      underWayBefore: 0,
    };
    this.#ceilings.set(capability, fresh);
    return fresh;
  }
}

function inFlight({ atService, underWay }: Ceiling): number {
  return atService + underWay.size;
}
