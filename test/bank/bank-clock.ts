import { type Clock, systemClock } from '../../src/base/clock.ts';

/** Where the clock of a bank stood at one moment of the machine's own, and how fast it runs since. */
export interface BankTime {
  readonly startMs: number;
  /** Of `process.hrtime`, which all processes of a machine share. */
  readonly sinceNs: string;
  readonly speed: number;
}

/** A clock that runs faster than time, and shows the same in every process. Timers run as ever. */
export function bankClock({ startMs, sinceNs, speed }: BankTime): Clock {
  const since = BigInt(sinceNs);
  const now = (): number => Math.floor(startMs + (Number(process.hrtime.bigint() - since) / 1e6) * speed);
  return { ...systemClock, now };
}
