import type { MicroUsd } from '../../../../base/money.ts';

/** A member in a session, as other members see them. */
export interface ParticipantView {
  readonly userId: string;
  /** The service's name for the voice, which must not be trusted; null if the voice is unchanged. */
  readonly voice: string | null;
  readonly state: ShownState;
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
}

/** The state of a member in a session, as other members see it. */
export type ShownState =
  /** No line is open. A line is opened when the member speaks. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting' }
  /** The line is open until `untilMs` (epoch milliseconds) at the latest. `problem` says why it will not be renewed. */
  | { readonly kind: 'live'; readonly untilMs: number; readonly problem: string | null }
  /** The member is muted by the server. */
  | { readonly kind: 'silenced' }
  /** The next attempt starts when the member speaks after `againAtMs` (epoch milliseconds). */
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  /** There is no further attempt until the member joins again. */
  | { readonly kind: 'over'; readonly problem: string };
