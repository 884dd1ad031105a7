import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import type { Capability } from '../../../media-api/wire.ts';

/** Accepted submits between two tries above the ceiling: so at most one try in eleven is above it. */
const PROBE_GAP = 10;
const PROBE_GAP_MAX = 160;
/** Where nothing was tried for this long, one try above the ceiling may be made; doubled each time it fails. */
const STALL_MS = 2_000;
const STALL_MS_MAX = 3_600_000;
/** A proven ceiling rises by one, or by this share of a large one. */
const RISE = 0.1;
const PAUSE: Backoff = { delayMsFirst: 1_000, delayMsMax: 15_000 };

interface Ceiling {
  /** Jobs of the capability at the service and on their way there that may be tried at once. */
  jobsMax: number;
  /** Accepted submits since the last try above `jobsMax`, and how many there must be before the next. */
  accepted: number;
  gap: number;
  /** When a submit was last accepted or refused, and how long after that one above `jobsMax` may be tried. */
  triedAtMs: number;
  stallMs: number;
  /** Refusals in a row, and the end of the pause that they call for. */
  refusals: number;
  notBeforeMs: number;
  readonly underWay: Set<string>;
  probe: string | null;
  /** Jobs at the service when it was last looked, and how many were under way just before. */
  atService: number;
  underWayBefore: number;
}

/**
 * How many jobs of each capability the service takes at once. It does not tell, so it is learned: `at_capacity`
 * lowers the ceiling to what was there; one submit among many, or after a while without any, tries to go above it.
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

  /** Asked just before they are counted: how many jobs at the service are enough to know that there is no room; 0: no need. */
  countUpTo(capability: Capability): number {
    const ceiling = this.#of(capability);
    ceiling.underWayBefore = ceiling.underWay.size;
    const { jobsMax } = ceiling;
    return Number.isFinite(jobsMax) ? jobsMax + 1 : 0;
  }

  /** Whether one more may be submitted now, with `atService` jobs there. */
  hasRoom(capability: Capability, atService: number): boolean {
    const ceiling = this.#of(capability);
    // Whoever ended meanwhile may be there without having been counted.
    ceiling.atService = atService + Math.max(0, ceiling.underWayBefore - ceiling.underWay.size);
    const pauseMs = ceiling.notBeforeMs - this.#clock.now();
    // A longer one was never called for: the clock was set back.
    if (pauseMs > 0 && pauseMs <= PAUSE.delayMsMax) return false;
    return inFlight(ceiling) < ceiling.jobsMax || this.#mayProbe(ceiling);
  }

  /** A submit of the job begins. End it with `accepted`, `refused` or `left`. */
  enter(capability: Capability, jobId: string): void {
    const ceiling = this.#of(capability);
    if (inFlight(ceiling) >= ceiling.jobsMax) {
      ceiling.probe = jobId;
      ceiling.accepted = 0;
    }
    ceiling.underWay.add(jobId);
  }

  /** The service took the job on; it counts as under way until `left`. */
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
   * The service has no room (`full`), or no capacity at all, for this job. Returns when the job may be tried
   * again: soon at first, later the longer it lasts, never all at the same moment.
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
        'The service takes no more jobs of this capability at once',
      );
      ceiling.jobsMax = seen;
      ceiling.accepted = 0;
    }
    return againAtMs;
  }

  /** The submit of the job ended, however it did. */
  left(capability: Capability, jobId: string): void {
    const ceiling = this.#of(capability);
    ceiling.underWay.delete(jobId);
    if (ceiling.probe === jobId) ceiling.probe = null;
  }

  #mayProbe(ceiling: Ceiling): boolean {
    if (ceiling.probe !== null) return false;
    // Jobs may be there for hours: without this, nobody would learn that there is room again.
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
