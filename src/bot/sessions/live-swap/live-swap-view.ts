import type { MicroUsd } from '../../../base/money.ts';
import type { Refusal } from '../../jobs/intake/refusals.ts';
import type { LiveSwapEnd } from './live-swap-end.ts';

export type LiveLink =
  | { readonly kind: 'link'; readonly url: string; readonly view: LiveSwapView }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A session as it stands now. */
export interface LiveSwapView {
  readonly guildId: string;
  /** Untrusted text. */
  readonly guildName: string | null;
  readonly minutes: number;
  readonly prompt: string | null;
  readonly face: { readonly name: string | null } | null;
  /** What a minute, and all of them, are expected to cost; null: the service has not told. */
  readonly perMinute: MicroUsd | null;
  readonly expected: MicroUsd | null;
  /** The member has agreed, and need not be asked again. */
  readonly isAgreed: boolean;
  readonly phase: LivePhase;
}

export type LivePhase =
  /** `isEntered`: the link was used. Until `untilMs` (epoch milliseconds) it can be used, or then started. */
  | { readonly kind: 'waiting'; readonly isEntered: boolean; readonly untilMs: number }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly grantedSeconds: number;
      /** As the service understood it; null when it did not say. */
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
      /** By the service's record; null until it is known. */
      readonly charged: MicroUsd | null;
    };
