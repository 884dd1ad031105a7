import type { Timer } from '../../../../base/clock.ts';
import { ZERO } from '../../../../base/money.ts';
import type { SessionListener } from '../../paid-session.ts';
import { Audience } from './audience.ts';
import { ChargeWait } from './charge-wait.ts';
import { CLOSED_FOR, endOf } from './line-ends.ts';
import { FIGURES_MS, TICK_MS, WARNING_MS } from '../live-swap-limits.ts';
import { LiveLine } from './live-line.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { Opened } from '../opener.ts';
import { type SeatActions, Seating } from './seating.ts';
import { SessionConsent } from './session-consent.ts';
import { startProblem } from '../start-problem.ts';
import type { SwapSessionOptions, Watched } from './swap-session-options.ts';
import { type SwapState, phaseOf } from './swap-state.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { LivePage, LiveSeat } from '../live-page.ts';
import type { LiveSwapView } from '../live-swap-view.ts';

/**
 * One member's live swap, from its link to what it cost. A paid session is open only from the member's start until
 * the first of: they stop it, their page is gone or silent, it is not allowed any more, or the granted time is up.
 */
export class SwapSession implements Watched {
  readonly audience: Audience;
  readonly #options: SwapSessionOptions;
  readonly #consent: SessionConsent;
  readonly #seating: Seating;
  #state: SwapState;
  #isWarned = false;
  #figuresAtMs = 0;
  #lookedAtMs = 0;
  #timer: Timer | null = null;
  #chargeWait: ChargeWait | null = null;
  #ended: Promise<void> | null = null;
  #isOver = false;

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
    return this.#state.kind === 'ended';
  }

  get view(): LiveSwapView {
    const phase = phaseOf(this.#state, this.audience.count);
    return { ...this.#options.facts, isAgreed: this.#consent.isGiven, phase };
  }

  /** The link was used. */
  enter(): void {
    const { clock, limits } = this.#options;
    if (this.#state.kind !== 'waiting') return;
    this.#become({ kind: 'waiting', isEntered: true, untilMs: clock.now() + limits.startMs });
  }

  /** The page takes the place of one that was there before. */
  seat(page: LivePage): LiveSeat {
    return this.#seating.take(page);
  }

  /** Closes what is paid for at once; resolves when it is closed and written down. */
  end(why: LiveSwapEnd): Promise<void> {
    this.#ended ??= this.#end(why);
    return this.#ended;
  }

  /** Says nothing more to anybody. */
  over(why: 'over' | 'shutdown'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#chargeWait?.[Symbol.dispose]();
    this.#seating.close(why);
    this.audience.end(why);
    this.#options.onOver();
  }

  /** Ends what is live if it is not allowed any more. */
  async recheck(): Promise<void> {
    if (this.#state.kind !== 'live') return;
    try {
      const verdict = await this.#options.look(this);
      if (verdict !== 'fine') await this.end(verdict);
    } catch (error) {
      this.#options.log.warn({ error, sessionId: this.id }, 'Cannot look whether a live swap may go on');
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
        if (this.#state.kind === 'live') this.#state.line.show(jpeg);
      },
      // Before anything costs money, the page can be opened again.
      left: () => {
        if (this.#state.kind === 'live' || this.#state.kind === 'connecting') void this.end('closed');
      },
    };
  }

  async #agree(version: string): Promise<void> {
    if (await this.#consent.agree(version)) return this.#changed();
    this.#tell('The text has changed meanwhile. Load this page again, and read it anew.');
  }

  async #start(): Promise<void> {
    const { open, look, log } = this.#options;
    const hasAgreed = await this.#consent.known();
    const before = this.#state;
    if (before.kind !== 'waiting') return;
    if (!hasAgreed) return this.#tell('Read and agree to the text first.');
    const opening = new AbortController();
    this.#become({ kind: 'connecting', opening });
    const isWanted = (): boolean => this.#state.kind === 'connecting' && this.#state.opening === opening;
    try {
      // First the books: nothing is sent anywhere of a member whose consent is not in them.
      await this.#consent.write();
      const verdict = await look(this);
      if (!isWanted()) return;
      if (verdict !== 'fine') return void this.end(verdict);
      const opened = await open(this.#listener(), opening.signal);
      if (!isWanted()) return await opened.paid.close('stopped');
      this.#goLive(opened);
    } catch (error) {
      if (!isWanted()) return;
      log.info({ error, sessionId: this.id }, 'Cannot start a live swap');
      this.#become(before);
      this.#tell(startProblem(error));
    }
  }

  #listener(): SessionListener {
    const { translator } = this.#options;
    return {
      onText: () => undefined,
      onConverted: (message) => {
        const jpeg = translator.toPage(message);
        if (!jpeg || this.#state.kind !== 'live') return;
        this.#seating.push(jpeg);
        this.audience.show(jpeg);
      },
    };
  }

  #goLive(opened: Opened): void {
    this.#lookedAtMs = this.#options.clock.monotonic();
    this.#become({ kind: 'live', line: new LiveLine(opened, this.#options) });
    this.audience.become('live');
    opened.paid.onEnd((end) => void this.end(endOf(end)));
  }

  #tick(): void {
    const { clock } = this.#options;
    const state = this.#state;
    if (state.kind === 'ended') return;
    this.#timer = clock.after(TICK_MS, () => this.#tick(), { background: true });
    if (state.kind === 'waiting' && clock.now() >= state.untilMs) return void this.end('expired');
    if (state.kind === 'live') this.#watch(state.line);
  }

  #watch(line: LiveLine): void {
    const { clock, limits } = this.#options;
    const { problem } = line;
    if (problem) return void this.end(problem);
    const nowMs = clock.monotonic();
    const { leftMs } = line.paid.standing;
    if (leftMs <= WARNING_MS && !this.#isWarned) {
      this.#isWarned = true;
      this.#seating.page?.warn(Math.ceil(leftMs / 1000));
    }
    if (nowMs - this.#figuresAtMs >= FIGURES_MS) {
      this.#figuresAtMs = nowMs;
      this.#changed();
    }
    if (nowMs - this.#lookedAtMs >= limits.recheckMs) {
      this.#lookedAtMs = nowMs;
      void this.recheck();
    }
  }

  async #end(why: LiveSwapEnd): Promise<void> {
    const state = this.#state;
    const paid = state.kind === 'live' ? state.line.paid : null;
    if (state.kind === 'connecting') state.opening.abort(new Error('Not wanted any more'));
    this.#timer?.cancel();
    const closed = paid ? paid.close(CLOSED_FOR[why]) : Promise.resolve();
    // The meter stands still from here on.
    const charged = !paid || paid.meteredMs === 0 ? ZERO : null;
    this.#become({ kind: 'ended', why, paid, charged });
    this.audience.end(why === 'shutdown' ? 'shutdown' : 'over');
    await this.#settled([closed, this.#consent.end()]);
    this.#options.onEnded();
    if (why === 'shutdown' || !paid || charged !== null) return this.over(why === 'shutdown' ? why : 'over');
    this.#chargeWait = new ChargeWait(paid.id, this.#options, (known) => {
      if (known !== null) this.#become({ kind: 'ended', why, paid, charged: known });
      this.over('over');
    });
  }

  async #settled(works: readonly Promise<void>[]): Promise<void> {
    const { log } = this.#options;
    for (const result of await Promise.allSettled(works)) {
      if (result.status === 'rejected') log.warn({ error: result.reason }, 'Cannot end a live swap cleanly');
    }
  }

  #become(state: SwapState): void {
    this.#state = state;
    this.#changed();
  }

  #changed(): void {
    this.#seating.page?.changed();
  }

  #tell(problem: string): void {
    this.#seating.page?.tell(problem);
  }
}
