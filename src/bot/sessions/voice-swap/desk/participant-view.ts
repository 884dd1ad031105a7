import type { MicroUsd } from '../../../../base/money.ts';

/** One member in a session. */
export interface ParticipantView {
  readonly userId: string;
  /** The service's name of the voice, which is untrusted text. Null if the voice is not changed. */
  readonly voice: string | null;
  readonly state: ShownState;
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
}

/** The state of one member in a session. */
export type ShownState =
  /** Nothing is open. A line is opened when the member speaks. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting' }
  /** The line is open until `untilMs` (epoch milliseconds) at most. `problem` says why it will not be renewed. */
  | { readonly kind: 'live'; readonly untilMs: number; readonly problem: string | null }
  /** The server mutes the member. */
  | { readonly kind: 'silenced' }
  /** The next try starts when the member speaks after `againAtMs`. */
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  /** There is no further try until the member joins again. */
  | { readonly kind: 'over'; readonly problem: string };
