import { unreachable } from '../../../../base/errors.ts';
import type { ParticipantState } from './participant-state.ts';
import type { ShownState } from './participant-view.ts';

/** Returns the state of a participant as members see it; times are in epoch milliseconds. */
export function shownState(state: ParticipantState, nowMs: number): ShownState {
  switch (state.kind) {
    case 'unheard':
    case 'quiet':
      return { kind: state.isSilenced ? 'silenced' : 'quiet' };
    case 'connecting':
      return { kind: 'connecting' };
    case 'live': {
      const { held, follower } = state;
      const problem = follower.kind === 'refused' ? follower.problem : null;
      return { kind: 'live', untilMs: nowMs + held.line.standing.leftMs, problem };
    }
    case 'waiting': {
      const { problem, againAtMs, isSilenced } = state;
      return isSilenced ? { kind: 'silenced' } : { kind: 'waiting', problem, againAtMs };
    }
    case 'over':
      return { kind: 'over', problem: state.problem };
    case 'left':
      return { kind: 'quiet' };
    default:
      return unreachable(state);
  }
}
