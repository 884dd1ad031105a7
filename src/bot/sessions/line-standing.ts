import type { MicroUsd } from '../../base/money.ts';

export interface LineStanding {
  /** Milliseconds that will be billed, by our own meter; 0 before the first converted frame. */
  readonly meteredMs: number;
  /** Milliseconds since converted speech came last, or since connecting where none has. */
  readonly quietMs: number;
  /** Milliseconds until the socket is closed by us, at the granted limit at the latest. */
  readonly leftMs: number;
  /** What the metered time costs by the rate that was quoted: an estimate until the usage record tells. */
  readonly estimate: MicroUsd;
  /** What is held for it. */
  readonly held: MicroUsd;
}
