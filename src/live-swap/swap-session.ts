import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { type MicroUsd, ZERO } from '../base/money.ts';
import type { CallOrigin } from '../jobs/ports.ts';
import { type ConsentBook, type ConsentScope, NO_CHANNEL } from '../live/consent-book.ts';
import type { PaidSession, SessionListener } from '../live/paid-session.ts';
import type { CloseReason, LineEnd } from '../live/ports.ts';
import { Audience } from './audience.ts';
import type { FrameTranslator } from './frame-codec.ts';
import { ChargeWait, type ChargeWaitOptions } from './charge-wait.ts';
import { FrameLane } from './frame-lane.ts';
import type { LiveConsentText } from './live-consent-text.ts';
import { FIGURES_MS, type LiveSwapLimits, TICK_MS, WARNING_MS } from './live-swap-limits.ts';
import { LiveLine } from './live-line.ts';
import type { Open, Opened } from './opener.ts';
import type { LivePage, LivePhase, LiveSeat, LiveSwapEnd, LiveSwapView } from './ports.ts';
import { startProblem } from './start-problem.ts';

export interface SwapSessionOptions {
  readonly id: string;
  readonly by: CallOrigin;
  /** What of the view never changes. */
  readonly facts: Omit<LiveSwapView, 'isAgreed' | 'phase'>;
  readonly isAgreed: boolean;
  readonly translator: FrameTranslator;
  /** Throws what `startProblem` can tell. */
  readonly open: Open;
  /** Whether it may go on; called every few seconds. */
  readonly look: (session: SwapSession) => Promise<'fine' | 'not_allowed' | 'consent_gone'>;
  readonly costOf: ChargeWaitOptions['costOf'];
  readonly consents: ConsentBook<LiveConsentText>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: LiveSwapLimits;
  /** Called once, when nothing is open any more: the member can have another one. */
  readonly onEnded: () => void;
  /** Called once, when nothing more is to be said of it. */
  readonly onOver: () => void;
}

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'connecting'; readonly opening: AbortController }
  | { readonly kind: 'live'; readonly line: LiveLine }
  | { readonly kind: 'ended'; readonly why: LiveSwapEnd; readonly paid: PaidSession | null };

interface Seated {
  readonly page: LivePage;
  readonly lane: FrameLane;
}

const CLOSED_FOR: Readonly<Record<LiveSwapEnd, CloseReason>> = {
  stopped: 'stopped',
  closed: 'left',
  silent: 'idle',
  granted: 'stopped',
  lost: 'unanswered',
  not_allowed: 'moderated',
  consent_gone: 'opted_out',
  expired: 'stopped',
  shutdown: 'shutdown',
};

/**
 * One member's live swap, from its link to what it cost. A paid session is open only from the member's start until
 * the first of: they stop it, their page is gone or silent, it is not allowed any more, or the granted time is up.
 */
export class SwapSession {
  readonly audience: Audience;
  readonly #options: SwapSessionOptions;
  #state: State = { kind: 'waiting' };
  #isAgreed: boolean;
  #agreeing: Promise<void> = Promise.resolve();
  #isEntered = false;
  #untilMs: number;
  #seated: Seated | null = null;
  #isWarned = false;
  #figuresAtMs = 0;
  #lookedAtMs = 0;
  #timer: Timer | null = null;
  #charged: MicroUsd | null = null;
  #chargeWait: ChargeWait | null = null;
  #ended: Promise<void> | null = null;
  #isOver = false;

  constructor(options: SwapSessionOptions) {
    this.#options = options;
    this.#isAgreed = options.isAgreed;
    this.#untilMs = options.clock.now() + options.limits.linkMs;
    this.audience = new Audience(options.limits, () => this.#seated?.page.changed());
    this.#tick();
  }

  get id(): string {
    return this.#options.id;
  }

  get by(): CallOrigin {
    return this.#options.by;
  }

  get isWaiting(): boolean {
    return this.#state.kind === 'waiting';
  }

  get hasEnded(): boolean {
    return this.#state.kind === 'ended';
  }

  get view(): LiveSwapView {
    return { ...this.#options.facts, isAgreed: this.#isAgreed, phase: this.#phase };
  }

  /** The link was used. */
  enter(): void {
    const { clock, limits } = this.#options;
    this.#isEntered = true;
    this.#untilMs = clock.now() + limits.startMs;
  }

  /** The page takes the place of one that was there before. */
  seat(page: LivePage): LiveSeat {
    const lane = new FrameLane((frame, onSent) => page.send(frame, onSent), this.#options.limits.aheadMax);
    const seated = { page, lane };
    const before = this.#seated;
    this.#seated = seated;
    before?.page.close('replaced');
    const ifHere = (act: () => void): void => {
      if (this.#seated === seated) act();
    };
    const view = (): LiveSwapView => this.view;
    return {
      get view() {
        return view();
      },
      agree: (version) => {
        if (this.#seated !== seated) return Promise.resolve();
        const agreeing = this.#agree(version);
        this.#agreeing = agreeing.catch(() => undefined);
        return agreeing;
      },
      // What was agreed to just before is being stored.
      start: () => ifHere(() => void this.#agreeing.then(() => this.#start())),
      stop: () => ifHere(() => void this.end('stopped')),
      share: () => (this.#seated === seated && !this.hasEnded ? this.audience.share() : null),
      unshare: () => ifHere(() => this.audience.unshare()),
      show: (jpeg) => ifHere(() => this.#show(jpeg)),
      answered: () => lane.answered(),
      leave: () => ifHere(() => this.#left()),
    };
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
    this.#seated?.page.close(why);
    this.#seated = null;
    this.audience.end(why);
    this.#options.onOver();
  }

  get #phase(): LivePhase {
    const state = this.#state;
    switch (state.kind) {
      case 'waiting':
        return { kind: 'waiting', isEntered: this.#isEntered, untilMs: this.#untilMs };
      case 'connecting':
        return { kind: 'connecting' };
      case 'live': {
        const { granted, standing } = state.line.paid;
        const { meteredMs, leftMs, estimate, held } = standing;
        const { grantedSeconds } = granted;
        const { count: viewers } = this.audience;
        const figures = { grantedSeconds, meteredMs, leftMs, estimate, held, viewers };
        return { kind: 'live', prompt: state.line.prompt, ...figures };
      }
      case 'ended': {
        const { meteredMs = 0, estimate = ZERO } = state.paid?.standing ?? {};
        return { kind: 'ended', why: state.why, meteredMs, estimate, charged: this.#charged };
      }
      default:
        return state satisfies never;
    }
  }

  get #scope(): ConsentScope {
    return { guildId: this.by.guildId, channelId: NO_CHANNEL, sessionId: this.id };
  }

  async #agree(version: string): Promise<void> {
    const { consents } = this.#options;
    if (version !== consents.text.version) {
      return this.#seated?.page.tell(
        'The text has changed meanwhile. Load this page again, and read it anew.',
      );
    }
    await consents.give(this.#scope, this.by.userId);
    this.#isAgreed = true;
    this.#changed();
  }

  /** First the books: nothing is sent anywhere of a member whose consent is not in them. */
  async #start(): Promise<void> {
    const { consents, open, look, log } = this.#options;
    if (this.#state.kind !== 'waiting') return;
    if (!this.#isAgreed) return this.#seated?.page.tell('Read and agree to the text first.');
    const opening = new AbortController();
    this.#become({ kind: 'connecting', opening });
    const isWanted = (): boolean => this.#state.kind === 'connecting' && this.#state.opening === opening;
    try {
      await consents.give(this.#scope, this.by.userId);
      const verdict = await look(this);
      if (!isWanted()) return;
      if (verdict !== 'fine') return void this.end(verdict);
      const opened = await open(this.#listener(), opening.signal);
      if (!isWanted()) return await opened.paid.close('stopped');
      this.#goLive(opened);
    } catch (error) {
      if (!isWanted()) return;
      log.info({ error, sessionId: this.id }, 'Cannot start a live swap');
      this.#become({ kind: 'waiting' });
      this.#seated?.page.tell(startProblem(error));
    }
  }

  #listener(): SessionListener {
    const { translator } = this.#options;
    return {
      onText: () => undefined,
      onConverted: (message) => {
        const jpeg = translator.toPage(message);
        if (!jpeg || this.#state.kind !== 'live') return;
        this.#seated?.lane.push(jpeg);
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

  #show(jpeg: Buffer): void {
    if (this.#state.kind === 'live') this.#state.line.show(jpeg);
  }

  /** Closing the page ends what costs money; before that, it can be opened again. */
  #left(): void {
    this.#seated = null;
    if (this.#state.kind === 'live' || this.#state.kind === 'connecting') void this.end('closed');
  }

  #tick(): void {
    if (this.#state.kind === 'ended') return;
    const { clock } = this.#options;
    this.#timer = clock.after(TICK_MS, () => this.#tick(), { background: true });
    const state = this.#state;
    if (state.kind === 'waiting' && clock.now() >= this.#untilMs) return void this.end('expired');
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
      this.#seated?.page.warn(Math.ceil(leftMs / 1000));
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

  async #end(why: LiveSwapEnd): Promise<void> {
    const { consents, log } = this.#options;
    const state = this.#state;
    const paid = state.kind === 'live' ? state.line.paid : null;
    if (state.kind === 'connecting') state.opening.abort(new Error('Not wanted any more'));
    this.#timer?.cancel();
    const closed = paid?.close(CLOSED_FOR[why]);
    this.#become({ kind: 'ended', why, paid });
    this.audience.end(why === 'shutdown' ? 'shutdown' : 'over');
    const results = await Promise.allSettled([closed, consents.endAll(this.id)]);
    for (const result of results) {
      if (result.status === 'rejected') log.warn({ error: result.reason }, 'Cannot end a live swap cleanly');
    }
    if (!paid || paid.meteredMs === 0) this.#charged = ZERO;
    this.#options.onEnded();
    this.#changed();
    if (this.#charged !== null || why === 'shutdown') return this.over(why === 'shutdown' ? why : 'over');
    this.#chargeWait = new ChargeWait(paid?.id ?? '', this.#options, (charged) => {
      this.#charged = charged;
      if (charged !== null) this.#changed();
      this.over('over');
    });
  }

  #become(state: State): void {
    this.#state = state;
    this.#changed();
  }

  #changed(): void {
    this.#seated?.page.changed();
  }
}

function endOf(end: LineEnd): LiveSwapEnd {
  if (end.kind === 'granted') return 'granted';
  if (end.kind === 'lost') return 'lost';
  return end.reason === 'shutdown' ? 'shutdown' : 'stopped';
}
