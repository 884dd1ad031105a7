import { type Clock, type Timer, withDeadline } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { VoiceRevoker } from '../../../db/schema.ts';
import type { BudgetView } from '../../ledger/budget.ts';
import type { CloseReason, VoiceLines } from '../../live/ports.ts';
import type { VoiceMember } from '../ports.ts';
import type { ConsentBook } from '../../live/consent-book.ts';
import type { VoiceConsentText } from './consent-text.ts';
import type {
  KnownVoices,
  SessionEnd,
  SessionPhase,
  SpeakerView,
  VoicePanels,
  VoiceSound,
  VoiceView,
} from './desk-ports.ts';
import { Disclosure, type ShowStatus } from './disclosure.ts';
import type { PanelNotes } from './panel-keeper.ts';
import type { ParticipantHost } from './participant.ts';
import { type Joining, Speakers } from './speakers.ts';
import type { SessionPlaces } from './session-places.ts';
import { speakNotice } from './spoken-notice.ts';
import { MINUTE_MS, RECHECK_MS, TICK_MS, type VoiceLimits, WARNING_MS } from './voice-limits.ts';

/** What all sessions are made with. */
export interface SessionParts {
  readonly lines: VoiceLines;
  readonly panels: VoicePanels;
  readonly showStatus: ShowStatus;
  readonly consents: ConsentBook<VoiceConsentText>;
  readonly voices: KnownVoices;
  /** Opus packets of 20 ms each. */
  readonly notice: readonly Uint8Array[];
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Whether the guild lets sessions go on by themselves. */
  readonly mayRenew: (guildId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: VoiceLimits;
}

export interface SessionOptions extends SessionParts {
  readonly sessionId: string;
  readonly starterId: string;
  /** Joined; the session leaves them. */
  readonly places: SessionPlaces;
  readonly sound: VoiceSound;
  readonly notes: PanelNotes;
  readonly minutes: number;
  /** What those get who name no voice; null: the starter chose none. */
  readonly usualVoiceId: string | null;
  /** Called once, when everything of it is closed and shown. */
  readonly onEnded: () => void;
}

const CHAT_DEADLINE_MS = 10_000;
/** Figures run on while somebody speaks. */
const FIGURES_MS = 5_000;
const CLOSED_FOR: Readonly<Record<SessionEnd, CloseReason>> = {
  stopped: 'stopped',
  time_up: 'stopped',
  empty: 'left',
  moved: 'channel_lost',
  disconnected: 'channel_lost',
  channel_deleted: 'channel_lost',
  unreachable: 'channel_lost',
  undisclosed: 'undisclosed',
  shutdown: 'shutdown',
  crash: 'shutdown',
};

/**
 * The bot in one voice channel, from its joining to its leaving. Paid lines are open only while it is connected,
 * shown to be there, and has time left, and while the member who speaks is there.
 */
export class VoiceSession implements ParticipantHost {
  readonly speakers: Speakers;
  readonly #options: SessionOptions;
  readonly #disclosure: Disclosure;
  readonly #stopping = new AbortController();
  readonly #writing = new Set<Promise<void>>();
  #phase: SessionPhase = { kind: 'announcing' };
  #endsAtMs: number;
  #isRenewed = false;
  #isWarned = false;
  #emptySinceMs: number | null = null;
  #figuresAtMs = 0;
  #recheckedAtMs = 0;
  #timer: Timer | null = null;
  #ended: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { clock, limits, places } = options;
    const { guildId, channelId } = places.booth;
    this.#endsAtMs = clock.now() + options.minutes * MINUTE_MS;
    this.speakers = new Speakers({
      ...options,
      place: { guildId, channelId },
      host: this,
      idleMs: limits.idleMs,
      unansweredMs: limits.unansweredMs,
    });
    this.#disclosure = new Disclosure({
      ...options,
      channelIds: places.all.map((place) => place.channelId),
      look: () => this.look(),
      lost: () => void this.end('undisclosed'),
    });
    places.listen({
      left: (userId) => void this.leave(userId, 'left'),
      silenced: (userId, isSilenced) => this.speakers.silence(userId, isSilenced),
      unheard: () => this.speakers.restAll('left'),
      broke: () => this.#broke(),
      restored: () => this.#restored(),
      // Closed by somebody else than this session, which does not listen any more when it ends.
      ended: (reason) => void this.end(reason === 'closed' ? 'shutdown' : reason),
    });
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  get guildId(): string {
    return this.#options.places.booth.guildId;
  }

  get channelId(): string {
    return this.#options.places.booth.channelId;
  }

  get starterId(): string {
    return this.#options.starterId;
  }

  get usualVoiceId(): string | null {
    return this.#options.usualVoiceId;
  }

  get hasEnded(): boolean {
    return this.#phase.kind === 'ended';
  }

  get isOpen(): boolean {
    const { places } = this.#options;
    return this.#phase.kind === 'on' && this.#disclosure.isVisible && places.isHeard && this.#leftMs > 0;
  }

  get isRenewed(): boolean {
    return this.#isRenewed;
  }

  get minutesLeft(): number {
    return Math.max(1, Math.ceil(this.#leftMs / MINUTE_MS));
  }

  /**
   * Shows what goes on and says it aloud; after that members are heard. False when the chat lets the bot show it
   * nowhere. The channels for the panel are tried in turn.
   */
  async begin(panelChannelIds: readonly string[]): Promise<boolean> {
    if (!(await this.#disclosure.show(panelChannelIds))) return false;
    if (this.hasEnded) return true;
    this.#tick();
    void this.#announce();
    return true;
  }

  /** As it stands now. */
  async look(): Promise<VoiceView> {
    const { places, sessionId, budget, mayRenew, usualVoiceId, voices } = this.#options;
    const { guildId, channelId } = places.booth;
    this.#isRenewed = await mayRenew(guildId).catch(() => this.#isRenewed);
    const left = await budget(guildId).catch(() => null);
    return {
      sessionId,
      guildId,
      channelId,
      stageChannelId: places.stage?.channelId ?? null,
      phase: this.#phase,
      endsAtMs: this.#endsAtMs,
      isRenewed: this.#isRenewed,
      usualVoice: voices.list?.find(({ id }) => id === usualVoiceId)?.name,
      speakers: this.speakers.views,
      ...this.speakers.totals,
      budget: left,
    };
  }

  memberOf(userId: string): VoiceMember | undefined {
    return this.#options.places.memberOf(userId);
  }

  /** Takes a member in whose consent is stored; undefined when they or the session are gone meanwhile. */
  join(joining: Joining): SpeakerView | undefined {
    const member = this.memberOf(joining.userId);
    if (this.hasEnded || !member) return undefined;
    const view = this.speakers.join(joining);
    this.speakers.silence(joining.userId, member.isSilenced);
    this.changed();
    return view;
  }

  /** The member is not heard any more from now on; false when they were not in it. */
  leave(userId: string, by: VoiceRevoker): boolean {
    if (!this.speakers.leave(userId, by)) return false;
    const { consents, places } = this.#options;
    this.#write(consents.revoke(places.booth, userId, by));
    this.changed();
    return true;
  }

  /** Drops members whose consent is not in the books any more. */
  async recheck(): Promise<void> {
    const before = this.speakers.userIds;
    if (before.length === 0) return;
    const standing = await this.#options.consents.standing(this.sessionId);
    for (const userId of before) if (!standing.has(userId)) this.leave(userId, 'member');
  }

  /** Closes everything at once; resolves when all of it is shown and stored. */
  end(why: SessionEnd): Promise<void> {
    this.#ended ??= this.#end(why).finally(this.#options.onEnded);
    return this.#ended;
  }

  changed(): void {
    this.#disclosure.panel.nudge();
  }

  get #leftMs(): number {
    return this.#endsAtMs - this.#options.clock.now();
  }

  async #announce(): Promise<void> {
    const { places, notice, clock, log } = this.#options;
    const speaking = places.all.map((place) => speakNotice(place, notice, clock, this.#stopping.signal));
    await Promise.all(speaking).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) log.warn({ error }, 'Cannot speak the notice of a voice session');
    });
    if (this.#phase.kind === 'announcing') this.#open();
  }

  #open(): void {
    this.#phase = { kind: 'on' };
    this.speakers.resumeAll();
    this.changed();
  }

  #broke(): void {
    if (this.hasEnded) return;
    this.#phase = { kind: 'interrupted' };
    this.speakers.restAll('channel_lost');
    this.changed();
  }

  #restored(): void {
    if (this.#phase.kind === 'interrupted') this.#open();
  }

  #tick(): void {
    if (this.hasEnded) return;
    const { clock } = this.#options;
    this.#timer = clock.after(TICK_MS, () => this.#tick(), { background: true });
    if (this.#leftMs <= 0) return void this.end('time_up');
    if (this.#leftMs <= WARNING_MS && !this.#isWarned) this.#write(this.#nearEnd());
    if (this.#isEmptyTooLong()) return void this.end('empty');
    this.speakers.tick();
    if (clock.monotonic() - this.#recheckedAtMs >= RECHECK_MS) {
      this.#recheckedAtMs = clock.monotonic();
      this.#write(this.recheck());
    }
    if (this.speakers.isAnyLive && clock.monotonic() - this.#figuresAtMs >= FIGURES_MS) {
      this.#figuresAtMs = clock.monotonic();
      this.changed();
    }
  }

  /** A minute before its end a session goes on by itself, where that is allowed and used; else it is told. */
  async #nearEnd(): Promise<void> {
    this.#isWarned = true;
    const { places, panels, clock, minutes, mayRenew } = this.#options;
    this.#isRenewed = await mayRenew(places.booth.guildId);
    if (this.hasEnded) return;
    if (this.#isRenewed && this.speakers.isAnyLive) {
      this.#endsAtMs += minutes * MINUTE_MS;
      this.#isWarned = false;
      return this.changed();
    }
    const { place } = this.#disclosure.panel;
    if (!place) return;
    const view = await this.look();
    await withDeadline(clock, CHAT_DEADLINE_MS, (signal) => panels.warn(place.channelId, view, signal));
  }

  #isEmptyTooLong(): boolean {
    const { clock, places, limits } = this.#options;
    if (this.#phase.kind === 'interrupted' || !places.isEmpty) {
      this.#emptySinceMs = null;
      return false;
    }
    this.#emptySinceMs ??= clock.monotonic();
    return clock.monotonic() - this.#emptySinceMs >= limits.emptyMs;
  }

  async #end(why: SessionEnd): Promise<void> {
    const { consents, places, sound, log } = this.#options;
    this.#phase = { kind: 'ended', why };
    this.#timer?.cancel();
    this.#stopping.abort(new Error('The voice session ended'));
    for (const userId of this.speakers.userIds) this.speakers.leave(userId, 'end', CLOSED_FOR[why]);
    this.#write(consents.endAll(this.sessionId));
    const leaving = this.#disclosure.clear().then(() => places[Symbol.asyncDispose]());
    const results = await Promise.allSettled([
      sound[Symbol.asyncDispose](),
      leaving,
      this.#disclosure.panel.end(),
      ...this.#writing,
    ]);
    for (const result of results) {
      if (result.status === 'rejected')
        log.warn({ error: result.reason }, 'Cannot end a voice session cleanly');
    }
  }

  /** Goes on beside what members see; the session's end waits for it. */
  #write(work: Promise<void>): void {
    const writing = work
      .catch((error: unknown) =>
        this.#options.log.warn({ error }, 'Cannot note something of a voice session'),
      )
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}
