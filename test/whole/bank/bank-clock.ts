import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** The bank's clock showed `startMs` when the machine's clock was at `sinceNs`, and has run at `speed` since then. */
export interface BankTime {
  readonly startMs: number;
  /** A time of `process.hrtime`, in nanoseconds; all processes on a machine share this clock. */
  readonly sinceNs: string;
  readonly speed: number;
}

/**
 * Creates a clock that runs faster than real time and shows the same time in every process. Timers run in
 * real time.
 */
export function bankClock({ startMs, sinceNs, speed }: BankTime): Clock {
  const since = BigInt(sinceNs);
  const now = (): number => Math.floor(startMs + (Number(process.hrtime.bigint() - since) / 1e6) * speed);
  return { ...systemClock, now };
}
