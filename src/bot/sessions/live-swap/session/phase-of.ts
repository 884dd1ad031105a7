import { ZERO } from '../../../../base/money.ts';
import type { SwapState } from './swap-state.ts';
import type { LivePhase } from '../live-swap-view.ts';

/** Returns the state of a live swap as members see it; `viewers` is the number of pages that show the output. */
export function phaseOf(state: SwapState, viewers: number): LivePhase {
  switch (state.kind) {
    case 'waiting':
      return state;
    case 'connecting':
      return { kind: 'connecting' };
    case 'open': {
      const { paid, prompt } = state.line;
      const { meteredMs, leftMs, estimate, held } = paid.standing;
      const { grantedSeconds } = paid.granted;
      return { kind: 'live', prompt, grantedSeconds, meteredMs, leftMs, estimate, held, viewers };
    }
    case 'closing':
    case 'settling':
    case 'over': {
      const { meteredMs = 0, estimate = ZERO } = state.line?.paid.standing ?? {};
      const uncharged = meteredMs === 0 ? ZERO : null;
      const charged = state.kind === 'over' ? state.charged : uncharged;
      return { kind: 'ended', why: state.why, meteredMs, estimate, charged };
    }
    default:
      return state satisfies never;
  }
}
