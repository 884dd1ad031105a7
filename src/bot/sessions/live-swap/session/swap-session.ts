import type { Timer } from '../../../../base/clock.ts';
import type { SessionListener } from '../../paid-session.ts';
import { Audience } from './audience.ts';
import { ChargeWait } from './charge-wait.ts';
import { CLOSED_FOR, endOf } from './line-ends.ts';
import { TICK_MS } from '../live-swap-limits.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import { phaseOf } from './phase-of.ts';
import { type SeatActions, Seating } from './seating.ts';
import { SessionConsent } from './session-consent.ts';
import { startProblem } from '../start-problem.ts';
import type { SwapSessionOptions, Watched } from './swap-session-options.ts';
import { type SwapState, type SwapEvent, next } from './swap-state.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { LivePage, LiveSeat } from '../live-page.ts';
import type { LiveSwapView } from '../live-swap-view.ts';
import { SwapLine } from './swap-line.ts';

/**
 * One member's live swap, from its link to its charge. The paid session is open from the moment the member starts it
 * until the member stops it, their page closes or stops sending, the session is no longer allowed, or the granted time
 * ends.
 */
export class SwapSession implements Watched {
  readonly audience: Audience;
  readonly #options: SwapSessionOptions;
  readonly #consent: SessionConsent;
  readonly #seating: Seating;
  #state: SwapState;
  #timer: Timer | null = null;
  #chargeWait: ChargeWait | null = null;
  /** Resolves once the paid session's socket is closed. */
  #lineClosed: Promise<void> = Promise.resolve();
  /** Resolves once everything is closed and the end is recorded. */
  #closed: Promise<void> = Promise.resolve();

  constructor(options: SwapSessionOptions) {
    const { id: sessionId, by, isAgreed: isGiven, consents: book, clock, limits } = options;
    this.#options = options;
    this.#consent = new SessionConsent({ ...by, book, sessionId, isGiven });
    this.#seating = new Seating(this.#actions(), limits.aheadMax);
    this.#state = { kind: 'waiting', isEntered: false, untilMs: clock.now() + limits.linkMs };
    this.audience = new Audience(limits, () => this.#changed());
    this.#tick();
  }

  get id(): string {
    return this.#options.id;
  }

  get by(): CallOrigin {
    return this.#options.by;
  }

  get savedFaceId(): string | null {
    return this.#options.savedFaceId;
  }

  get isWaiting(): boolean {
    return this.#state.kind === 'waiting';
  }

  get hasEnded(): boolean {
    const { kind } = this.#state;
    return kind === 'closing' || kind === 'settling' || kind === 'over';
  }

  get view(): LiveSwapView {
    const phase = phaseOf(this.#state, this.audience.count);
    return { ...this.#options.facts, isAgreed: this.#consent.isGiven, phase };
  }

  /** Records that the link has been used. */
  enter(): void {
    const { clock, limits } = this.#options;
    this.#apply({ kind: 'entered', untilMs: clock.now() + limits.startMs });
  }

  /** Connects a page, replacing any earlier one. */
  seat(page: LivePage): LiveSeat {
    return this.#seating.take(page);
  }

  /** Closes the paid session at once. Resolves once everything is closed and the end is recorded. */
  end(why: LiveSwapEnd): Promise<void> {
    this.#apply({ kind: 'end', why });
    return this.#closed;
  }

  /** Ends the session because the bot is stopping, without waiting for the charge. */
  async shutDown(): Promise<void> {
    await this.end('shutdown');
    this.#apply({ kind: 'shutdown' });
  }

  /** Ends an open session that is no longer allowed. */
  async recheck(): Promise<void> {
    if (this.#state.kind !== 'open') return;
    try {
      const verdict = await this.#options.look(this);
      if (verdict !== 'fine') await this.end(verdict);
    } catch (error) {
      this.#options.log.warn({ error, sessionId: this.id }, 'Cannot check whether a live swap may continue');
    }
  }

  #actions(): SeatActions {
    return {
      view: () => this.view,
      agree: (version) => this.#agree(version),
      start: () => void this.#start(),
      stop: () => void this.end('stopped'),
      share: () => (this.hasEnded ? null : this.audience.share()),
      unshare: () => this.audience.unshare(),
      show: (jpeg) => {
        if (this.#state.kind === 'open') this.#state.line.show(jpeg);
      },
      left: () => this.#apply({ kind: 'page_left' }),
    };
  }

  async #agree(version: string): Promise<void> {
    if (await this.#consent.agree(version)) return this.#changed();
    this.#reportProblem('The text has changed meanwhile. Load this page again, and read it anew.');
  }

  async #start(): Promise<void> {
    const { open, look, clock, log } = this.#options;
    const hasAgreed = await this.#consent.known();
    if (this.#state.kind !== 'waiting') return;
    if (!hasAgreed) return this.#reportProblem('Read and agree to the text first.');
    const opening = new AbortController();
    const { signal } = opening;
    this.#apply({ kind: 'started', opening });
    try {
      // The consent is stored before anything is sent: the bot sends nothing to the service without a stored consent.
      await this.#consent.write();
      const verdict = await look(this);
      if (signal.aborted) return;
      if (verdict !== 'fine') return void this.end(verdict);
      const opened = await open(this.#listener(), signal);
      if (signal.aborted) return await opened.paid.close('stopped');
      const line = new SwapLine(opened, this.#options);
      this.#apply({ kind: 'opened', line, nowMs: clock.monotonic() });
    } catch (error) {
      if (signal.aborted) return;
      log.info({ error, sessionId: this.id }, 'Cannot start a live swap');
      this.#apply({ kind: 'failed' });
      this.#reportProblem(startProblem(error));
    }
  }

  #listener(): SessionListener {
    const { translator } = this.#options;
    return {
      onText: () => undefined,
      onConverted: (message) => {
        const jpeg = translator.toPage(message);
        if (!jpeg || this.#state.kind !== 'open') return;
        this.#seating.push(jpeg);
        this.audience.show(jpeg);
      },
    };
  }

  #tick(): void {
    const { clock, limits } = this.#options;
    const state = this.#state;
    this.#timer = clock.after(TICK_MS, () => this.#tick(), { background: true });
    if (state.kind === 'waiting') this.#apply({ kind: 'time_passed', nowMs: clock.now() });
    if (state.kind !== 'open') return;
    const { paid, problem } = state.line;
    const [nowMs, { leftMs }] = [clock.monotonic(), paid.standing];
    this.#apply({ kind: 'line_checked', nowMs, leftMs, problem, recheckMs: limits.recheckMs });
  }

  /**
   * The only place that changes the state. It performs the effects of leaving the old state, then those of entering the
   * new one.
   */
  #apply(event: SwapEvent): void {
    const before = this.#state;
    const state = next(before, event);
    if (state === before) return;
    this.#state = state;
    if (before.kind === 'open' && state.kind === 'open') return this.#goOn(before, state);
    this.#leave(before, state);
    if (!looksLike(before, state)) this.#changed();
    this.#enter(state);
  }

  #goOn(before: OpenSwap, state: OpenSwap): void {
    if (state.isWarned && !before.isWarned) {
      this.#seating.page?.warn(Math.ceil(state.line.paid.standing.leftMs / 1000));
    }
    if (state.figuresAtMs !== before.figuresAtMs) this.#changed();
    if (state.checkedAtMs !== before.checkedAtMs) void this.recheck();
  }

  #leave(before: SwapState, state: SwapState): void {
    switch (before.kind) {
      case 'connecting':
        return before.opening.abort(new Error('The start was cancelled'));
      case 'open':
        // Closing the paid session stops its meter.
        if (state.kind === 'closing') this.#lineClosed = before.line.paid.close(CLOSED_FOR[state.why]);
        return;
      case 'closing':
        return this.#options.onEnded();
      case 'settling':
        return this.#chargeWait?.[Symbol.dispose]();
      case 'waiting':
      case 'over':
        return;
      default:
        return before satisfies never;
    }
  }

  #enter(state: SwapState): void {
    switch (state.kind) {
      case 'waiting':
      case 'connecting':
        return;
      case 'open':
        this.audience.become('live');
        return state.line.paid.onEnd((end) => void this.end(endOf(end)));
      case 'closing':
        this.#timer?.cancel();
        this.audience.end(state.why === 'shutdown' ? 'shutdown' : 'over');
        this.#closed = this.#close(state.line);
        return;
      case 'settling':
        this.#chargeWait = new ChargeWait(state.line.paid.id, this.#options, (charged) =>
          this.#apply({ kind: 'charged', charged }),
        );
        return;
      case 'over':
        this.#seating.close(state.how);
        return this.#options.onOver();
      default:
        return state satisfies never;
    }
  }

  async #close(line: SwapLine | null): Promise<void> {
    const { log } = this.#options;
    for (const result of await Promise.allSettled([this.#lineClosed, this.#consent.end()])) {
      if (result.status === 'rejected') log.warn({ error: result.reason }, 'Cannot end a live swap cleanly');
    }
    this.#apply({ kind: 'closed', meteredMs: line?.paid.meteredMs ?? 0 });
  }

  #changed(): void {
    this.#seating.page?.changed();
  }

  #reportProblem(problem: string): void {
    this.#seating.page?.reportProblem(problem);
  }
}

type OpenSwap = Extract<SwapState, { kind: 'open' }>;

/** Returns whether the page needs no update, because it already shows everything about the new state. */
function looksLike(before: SwapState, state: SwapState): boolean {
  if (state.kind === 'settling') return true;
  return state.kind === 'over' && (before.kind === 'closing' || state.charged === null);
}
