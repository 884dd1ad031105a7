import type { MicroUsd } from '../../../base/money.ts';
import type { Refusal } from '../../jobs/intake/refusals.ts';
import type { LiveSwapEnd } from './live-swap-end.ts';

/** The answer to a request for a session. */
export type LiveLink =
  | { readonly kind: 'link'; readonly url: string; readonly view: LiveSwapView }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The state of a session. */
export interface LiveSwapView {
  readonly guildId: string;
  /** Untrusted text. */
  readonly guildName: string | null;
  readonly minutes: number;
  readonly prompt: string | null;
  readonly face: { readonly name: string | null } | null;
  /** The expected cost of a minute, and of all of them. Null if the service has not listed a price. */
  readonly perMinute: MicroUsd | null;
  readonly expected: MicroUsd | null;
  /** Whether the member has agreed, so that they need not be asked again. */
  readonly isAgreed: boolean;
  readonly phase: LivePhase;
}

/** The phase of a session, with the data that exists only in it. */
export type LivePhase =
  /** With `isEntered`, the link was used. Until `untilMs` (epoch milliseconds), the link can be used or the session started. */
  | { readonly kind: 'waiting'; readonly isEntered: boolean; readonly untilMs: number }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly grantedSeconds: number;
      /** The prompt as the service understood it. Null if it did not report it. */
      readonly prompt: string | null;
      readonly meteredMs: number;
      readonly leftMs: number;
      readonly estimate: MicroUsd;
      readonly held: MicroUsd;
      readonly viewers: number;
    }
  | {
      readonly kind: 'ended';
      readonly why: LiveSwapEnd;
      readonly meteredMs: number;
      readonly estimate: MicroUsd;
      /** The charge in the service's record. Null until it is known. */
      readonly charged: MicroUsd | null;
    };
