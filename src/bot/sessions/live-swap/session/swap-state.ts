import { type MicroUsd, ZERO } from '../../../../base/money.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import { FIGURES_MS, WARNING_MS } from '../live-swap-limits.ts';
import type { SwapLine } from './swap-line.ts';

/** The link, and then the page, waits for the member until `untilMs` (epoch milliseconds). */
interface Waiting {
  readonly kind: 'waiting';
  /** The link was used. */
  readonly isEntered: boolean;
  readonly untilMs: number;
}

/** The session is open at the service. Times are milliseconds of the monotonic clock. */
interface Open<Line> {
  readonly kind: 'open';
  readonly line: Line;
  /** The member was warned that the time is nearly over. */
  readonly isWarned: boolean;
  /** When the page last received the figures. */
  readonly figuresAtMs: number;
  /** When it was last checked whether the session is still allowed. */
  readonly checkedAtMs: number;
}

/** Everything is closed, and nothing more is said about the session. `charged` is null if the charge is not known. */
interface Over<Line> {
  readonly kind: 'over';
  readonly why: LiveSwapEnd;
  readonly line: Line | null;
  readonly charged: MicroUsd | null;
  readonly how: 'over' | 'shutdown';
}

/** The states of a live swap. The line is the one that was open; null if the session ended before. */
export type SwapState<Line = SwapLine> =
  | Waiting
  /** `opening` aborts when this state is left. */
  | { readonly kind: 'connecting'; readonly opening: AbortController; readonly before: Waiting }
  | Open<Line>
  /** The session has ended, and its socket closes. */
  | { readonly kind: 'closing'; readonly why: LiveSwapEnd; readonly line: Line | null }
  /** The page waits for the charge. */
  | { readonly kind: 'settling'; readonly why: LiveSwapEnd; readonly line: Line }
  | Over<Line>;

export type SwapEvent<Line = SwapLine> =
  /** The link was used. */
  | { readonly kind: 'entered'; readonly untilMs: number }
  | { readonly kind: 'started'; readonly opening: AbortController }
  /** The session could not be opened. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'opened'; readonly line: Line; readonly nowMs: number }
  /** The page is gone, and no other one took its place. */
  | { readonly kind: 'page_left' }
  /** Epoch milliseconds. */
  | { readonly kind: 'time_passed'; readonly nowMs: number }
  | LineChecked
  | { readonly kind: 'end'; readonly why: LiveSwapEnd }
  /** Nothing is open any longer; `meteredMs` is what the meter shows for good. */
  | { readonly kind: 'closed'; readonly meteredMs: number }
  /** Null: the charge did not become known in time. */
  | { readonly kind: 'charged'; readonly charged: MicroUsd | null }
  | { readonly kind: 'shutdown' };

interface LineChecked {
  readonly kind: 'line_checked';
  /** Of the monotonic clock. */
  readonly nowMs: number;
  /** Until the granted time is over. */
  readonly leftMs: number;
  /** Why the line cannot go on. */
  readonly problem: Extract<LiveSwapEnd, 'silent' | 'lost'> | null;
  /** Time between two checks whether the session is still allowed. */
  readonly recheckMs: number;
}

/** Returns the state that follows, which is the same object if the event changes nothing. */
export function next<Line>(state: SwapState<Line>, event: SwapEvent<Line>): SwapState<Line> {
  switch (state.kind) {
    case 'waiting':
      return nextOfWaiting(state, event);
    case 'connecting':
      if (event.kind === 'failed') return state.before;
      if (event.kind === 'opened') return opened(event.line, event.nowMs);
      return ended(state, event);
    case 'open':
      return event.kind === 'line_checked' && event.problem === null
        ? afterCheck(state, event)
        : ended(state, event);
    case 'closing':
      return event.kind === 'closed' ? afterClose(state, event.meteredMs) : state;
    case 'settling':
      if (event.kind === 'charged') return over(state, event.charged, 'over');
      return event.kind === 'shutdown' ? over(state, null, 'shutdown') : state;
    case 'over':
      return state;
    default:
      return state satisfies never;
  }
}

function nextOfWaiting<Line>(state: Waiting, event: SwapEvent<Line>): SwapState<Line> {
  if (event.kind === 'entered') return { ...state, isEntered: true, untilMs: event.untilMs };
  if (event.kind === 'started') return { kind: 'connecting', opening: event.opening, before: state };
  const isExpired = event.kind === 'time_passed' && event.nowMs >= state.untilMs;
  if (isExpired) return { kind: 'closing', why: 'expired', line: null };
  // The page can be opened again before anything costs money.
  return event.kind === 'page_left' ? state : ended(state, event);
}

function opened<Line>(line: Line, nowMs: number): Open<Line> {
  return { kind: 'open', line, isWarned: false, figuresAtMs: 0, checkedAtMs: nowMs };
}

function afterCheck<Line>(state: Open<Line>, { nowMs, leftMs, recheckMs }: LineChecked): Open<Line> {
  const isWarned = state.isWarned || leftMs <= WARNING_MS;
  const figuresAtMs = nowMs - state.figuresAtMs >= FIGURES_MS ? nowMs : state.figuresAtMs;
  const checkedAtMs = nowMs - state.checkedAtMs >= recheckMs ? nowMs : state.checkedAtMs;
  const isSame =
    isWarned === state.isWarned && figuresAtMs === state.figuresAtMs && checkedAtMs === state.checkedAtMs;
  return isSame ? state : { ...state, isWarned, figuresAtMs, checkedAtMs };
}

/** The events that end a session wherever it stands. */
function ended<Line>(
  state: Exclude<SwapState<Line>, { kind: 'closing' | 'settling' | 'over' }>,
  event: SwapEvent<Line>,
): SwapState<Line> {
  const line = state.kind === 'open' ? state.line : null;
  if (event.kind === 'end') return { kind: 'closing', why: event.why, line };
  if (event.kind === 'page_left') return { kind: 'closing', why: 'closed', line };
  const problem = event.kind === 'line_checked' ? event.problem : null;
  return problem === null ? state : { kind: 'closing', why: problem, line };
}

/** Only a charge that can be above zero is waited for, and only while the bot goes on. */
function afterClose<Line>(
  closing: Extract<SwapState<Line>, { kind: 'closing' }>,
  meteredMs: number,
): SwapState<Line> {
  const { why, line } = closing;
  const isCharged = line !== null && meteredMs > 0;
  if (why === 'shutdown') return over(closing, isCharged ? null : ZERO, 'shutdown');
  return isCharged ? { kind: 'settling', why, line } : over(closing, ZERO, 'over');
}

function over<Line>(
  { why, line }: Pick<Over<Line>, 'why' | 'line'>,
  charged: MicroUsd | null,
  how: Over<Line>['how'],
): Over<Line> {
  return { kind: 'over', why, line, charged, how };
}
