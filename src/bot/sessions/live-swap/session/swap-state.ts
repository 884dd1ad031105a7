import { type MicroUsd, ZERO } from '../../../../base/money.ts';
import type { PaidSession } from '../../paid-session.ts';
import type { LiveLine } from './live-line.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { LivePhase } from '../live-swap-view.ts';

/** Where a live swap is, with what it has only there. */
export type SwapState =
  /** `untilMs`: epoch milliseconds. */
  | { readonly kind: 'waiting'; readonly isEntered: boolean; readonly untilMs: number }
  | { readonly kind: 'connecting'; readonly opening: AbortController }
  | { readonly kind: 'live'; readonly line: LiveLine }
  /** `charged` by the service's record; null: not known yet. */
  | {
      readonly kind: 'ended';
      readonly why: LiveSwapEnd;
      readonly paid: PaidSession | null;
      readonly charged: MicroUsd | null;
    };

/** The same for members to see; `viewers` look at the output. */
export function phaseOf(state: SwapState, viewers: number): LivePhase {
  switch (state.kind) {
    case 'waiting':
      return state;
    case 'connecting':
      return { kind: 'connecting' };
    case 'live': {
      const { paid, prompt } = state.line;
      const { meteredMs, leftMs, estimate, held } = paid.standing;
      const { grantedSeconds } = paid.granted;
      return { kind: 'live', prompt, grantedSeconds, meteredMs, leftMs, estimate, held, viewers };
    }
    case 'ended': {
      const { why, paid, charged } = state;
      const { meteredMs = 0, estimate = ZERO } = paid?.standing ?? {};
      return { kind: 'ended', why, meteredMs, estimate, charged };
    }
    default:
      return state satisfies never;
  }
}
