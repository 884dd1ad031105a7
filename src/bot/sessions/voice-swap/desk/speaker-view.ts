import type { MicroUsd } from '../../../../base/money.ts';

/** One member who is in it. */
export interface SpeakerView {
  readonly userId: string;
  /** The service's own name, untrusted text; null: no change. */
  readonly voice: string | null;
  readonly state: SpeakerState;
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
}

export type SpeakerState =
  /** Nothing is open; it is opened when they speak. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting' }
  /** Until then at most (epoch milliseconds); `problem` says why it will not go on after that. */
  | { readonly kind: 'live'; readonly untilMs: number; readonly problem: string | null }
  /** Muted by the server. */
  | { readonly kind: 'silenced' }
  /** Tried again when they speak after that moment. */
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  /** Not tried again before they join anew. */
  | { readonly kind: 'over'; readonly problem: string };
