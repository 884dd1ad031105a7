import type { MicroUsd } from '../../base/money.ts';

/** The state of a session at one moment. */
export interface LineStanding {
  /** The milliseconds that will be billed, according to the bot's own meter. 0 before the first converted frame. */
  readonly meteredMs: number;
  /** The milliseconds since converted speech last arrived, or since connecting if none has arrived. */
  readonly quietMs: number;
  /** The milliseconds until the bot closes the socket, which is at the granted limit at the latest. */
  readonly leftMs: number;
  /** The cost of the metered time at the quoted rate. It is an estimate until the usage record is known. */
  readonly estimate: MicroUsd;
  /** The amount that is set aside for the session. */
  readonly held: MicroUsd;
}
