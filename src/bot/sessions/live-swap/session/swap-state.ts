import { type MicroUsd, ZERO } from '../../../../base/money.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import { FIGURES_MS, WARNING_MS } from '../live-swap-limits.ts';
import type { SwapLine } from './swap-line.ts';

/** The member has until `untilMs` (epoch milliseconds) to open the link and, once it is open, to start the swap. */
interface Waiting {
  readonly kind: 'waiting';
  /** Whether the link has been used. */
  readonly isEntered: boolean;
  readonly untilMs: number;
}

/** The session is open at the service. Times are in milliseconds of the monotonic clock. */
interface Open<Line> {
  readonly kind: 'open';
  readonly line: Line;
  /** Whether the member has been warned that the time is nearly over. */
  readonly isWarned: boolean;
  /** When the page last received updated figures. */
  readonly figuresAtMs: number;
  /** When the bot last checked whether the session was still allowed. */
  readonly checkedAtMs: number;
}

/**
 * Everything is closed, and nothing more is reported about the session. `charged` is null if the charge is not known.
 */
interface Over<Line> {
  readonly kind: 'over';
  readonly why: LiveSwapEnd;
  readonly line: Line | null;
  readonly charged: MicroUsd | null;
  readonly how: 'over' | 'shutdown';
}

/** The states of a live swap. `line` in an ended session is the line that was open; null if none was. */
export type SwapState<Line = SwapLine> =
  | Waiting
  /** `opening` is aborted when this state ends. */
  | { readonly kind: 'connecting'; readonly opening: AbortController; readonly before: Waiting }
  | Open<Line>
  /** The session has ended, and its socket is closing. */
  | { readonly kind: 'closing'; readonly why: LiveSwapEnd; readonly line: Line | null }
  /** The page is waiting for the charge. */
  | { readonly kind: 'settling'; readonly why: LiveSwapEnd; readonly line: Line }
  | Over<Line>;

export type SwapEvent<Line = SwapLine> =
  /** The link has been used. */
  | { readonly kind: 'entered'; readonly untilMs: number }
  | { readonly kind: 'started'; readonly opening: AbortController }
  /** The session could not be opened. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'opened'; readonly line: Line; readonly nowMs: number }
  /** The page is gone, and no other page has replaced it. */
  | { readonly kind: 'page_left' }
  /** `nowMs` is in epoch milliseconds. */
  | { readonly kind: 'time_passed'; readonly nowMs: number }
  | LineChecked
  | { readonly kind: 'end'; readonly why: LiveSwapEnd }
  /** Everything is closed; `meteredMs` is the final reading of the meter. */
  | { readonly kind: 'closed'; readonly meteredMs: number }
  /** `charged` is null if the charge was not known in time. */
  | { readonly kind: 'charged'; readonly charged: MicroUsd | null }
  | { readonly kind: 'shutdown' };

interface LineChecked {
  readonly kind: 'line_checked';
  /** Milliseconds on the monotonic clock. */
  readonly nowMs: number;
  /** The milliseconds until the granted time ends. */
  readonly leftMs: number;
  /** Why the session must end, or null. */
  readonly problem: Extract<LiveSwapEnd, 'silent' | 'lost'> | null;
  /** The interval between checks of whether the session is still allowed. */
  readonly recheckMs: number;
}

/** Returns the next state, which is the same object if the event changes nothing. */
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
  // A closed page does not end the session yet: nothing costs money before the start, and the page can be opened again.
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

/** Handles the events that end a session whatever its state. */
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

/** Waits for the charge, unless it is certain to be zero or the bot is stopping. */
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
