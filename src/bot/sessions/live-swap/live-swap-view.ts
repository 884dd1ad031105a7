import type { MicroUsd } from '../../../base/money.ts';
import type { Refusal } from '../../jobs/intake/refusals.ts';
import type { LiveSwapEnd } from './live-swap-end.ts';

/** The reply to a request for a session. */
export type LiveLink =
  | { readonly kind: 'link'; readonly url: string; readonly view: LiveSwapView }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The state of a session. */
export interface LiveSwapView {
  readonly guildId: string;
  /** Text from Discord, which must not be trusted. */
  readonly guildName: string | null;
  readonly minutes: number;
  readonly prompt: string | null;
  readonly face: { readonly name: string | null } | null;
  /** The expected costs of one minute and of the whole session. Null if the service does not list a price. */
  readonly perMinute: MicroUsd | null;
  readonly expected: MicroUsd | null;
  /** Whether the member has agreed already, so that the page need not ask again. */
  readonly isAgreed: boolean;
  readonly phase: LivePhase;
}

/** The phase of a session, with the data that exists only in it. */
export type LivePhase =
  /**
   * `isEntered` says whether the link has been used. Until `untilMs` (epoch milliseconds), the link can be used or, if
   * it has been used, the session can be started.
   */
  | { readonly kind: 'waiting'; readonly isEntered: boolean; readonly untilMs: number }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly grantedSeconds: number;
      /** The prompt as interpreted by the service; null if the service did not return it. */
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
      /** The charge in the service's record; null until it is known. */
      readonly charged: MicroUsd | null;
    };
