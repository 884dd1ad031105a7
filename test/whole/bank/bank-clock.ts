import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** The time of the bank's clock at one moment of the machine's clock, and the speed at which it has run since then. */
export interface BankTime {
  readonly startMs: number;
  /** `process.hrtime` at that moment, in nanoseconds; all processes on a machine share it. */
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
