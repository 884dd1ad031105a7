import { withDeadline } from '../../../../base/clock.ts';
import { unreachable } from '../../../../base/errors.ts';
import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import { CLOSED_FOR } from './closed-for.ts';
import { Disclosure } from './disclosure.ts';
import { type Joining, Participants } from './participants.ts';
import type { SessionOptions } from './session-parts.ts';
import { SessionTimes } from './session-times.ts';
import { BackgroundWork } from './background-work.ts';
import { speakNotice } from './speak-notice.ts';
import type { VoiceMember } from '../voice-endpoint.ts';
import type { SessionEnd, VoiceView } from './voice-view.ts';
import type { ParticipantView } from './participant-view.ts';
import { type VoiceSessionEvent, type VoiceSessionState, next, phaseOf } from './voice-session-state.ts';
import type { ParticipantHost } from './participant-host.ts';

const CHAT_DEADLINE_MS = 10_000;

/**
 * One voice session: the bot in a voice channel, from joining to leaving. Paid lines are open only for members who are
 * in the channel, and only while the bot is connected, members can see that voices are converted, and time is left.
 */
export class VoiceSession implements ParticipantHost {
  readonly participants: Participants;
  readonly #options: SessionOptions;
  readonly #disclosure: Disclosure;
  readonly #stopping = new AbortController();
  readonly #times: SessionTimes;
  readonly #background: BackgroundWork;
  #state: VoiceSessionState = { kind: 'announcing' };
  #isRenewed = false;
  #announcing: Promise<void> = Promise.resolve();
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: SessionOptions) {
    this.#options = options;
    const { limits, places, log } = options;
    const { guildId, channelId } = places.booth;
    this.#background = new BackgroundWork(log);
    this.#times = new SessionTimes({
      ...options,
      emptyMs: limits.emptyMs,
      isEmpty: () => this.#state.kind !== 'interrupted' && places.isEmpty,
      listener: {
        tick: () => this.participants.tick(),
        figures: () => {
          if (this.participants.isAnyLive) this.changed();
        },
        recheck: () => this.#background.add(this.recheck()),
        nearEnd: () => this.#background.add(this.#nearEnd()),
        ended: (why) => void this.end(why),
      },
    });
    this.participants = new Participants({
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
      silenced: (userId, isSilenced) => this.participants.silence(userId, isSilenced),
      unheard: () => this.participants.restAll('left'),
      broke: () => this.#step({ kind: 'broke' }),
      restored: () => this.#step({ kind: 'restored' }),
      // This session stops listening to its endpoint before it leaves, so `closed` means that something else closed the
      // endpoint.
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
    return this.#state.kind === 'ended';
  }

  get isOpen(): boolean {
    const { places } = this.#options;
    return this.#state.kind === 'on' && this.#disclosure.isVisible && places.isHeard && !this.#times.isOver;
  }

  get isRenewed(): boolean {
    return this.#isRenewed;
  }

  get minutesLeft(): number {
    return this.#times.minutesLeft;
  }

  /**
   * Shows that voices are converted and speaks the notice; afterwards the bot listens to members. Tries the given
   * channels in turn for the panel. Returns false if Discord allows neither the panel nor the status.
   */
  async start(panelChannelIds: readonly string[]): Promise<boolean> {
    if (!(await this.#disclosure.show(panelChannelIds))) return false;
    if (this.hasEnded) return true;
    this.#times.start();
    this.#announcing = this.#announce();
    return true;
  }

  /** Returns the current state of the session. */
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
      phase: phaseOf(this.#state),
      endsAtMs: this.#times.endsAtMs,
      isRenewed: this.#isRenewed,
      usualVoice: voices.list?.find(({ id }) => id === usualVoiceId)?.name,
      speakers: this.participants.views,
      ...this.participants.totals,
      budget: left,
    };
  }

  memberOf(userId: string): VoiceMember | undefined {
    return this.#options.places.memberOf(userId);
  }

  /**
   * Admits a member whose consent is stored. Returns `undefined` if the member has left in the meantime, or if the
   * session has ended.
   */
  join(joining: Joining): ParticipantView | undefined {
    const member = this.memberOf(joining.userId);
    if (this.hasEnded || !member) return undefined;
    const view = this.participants.join(joining);
    this.participants.silence(joining.userId, member.isSilenced);
    this.changed();
    return view;
  }

  /** Resolves once the member's first line is open or has been refused, which is after the notice. */
  async settled(userId: string): Promise<ParticipantView | undefined> {
    await this.#announcing;
    return this.participants.settled(userId);
  }

  /** Stops listening to the member at once. Returns false if they were not in the session. */
  leave(userId: string, by: VoiceRevoker): boolean {
    if (!this.participants.leave(userId, by)) return false;
    const { consents, places } = this.#options;
    this.#background.add(consents.revoke(places.booth, userId, by));
    this.changed();
    return true;
  }

  /** Removes participants whose consent is no longer stored. */
  async recheck(): Promise<void> {
    const before = this.participants.userIds;
    if (before.length === 0) return;
    const standing = await this.#options.consents.standing(this.sessionId);
    for (const userId of before) if (!standing.has(userId)) this.leave(userId, 'member');
  }

  /** Closes everything at once. Resolves once the end has been shown and stored. */
  end(why: SessionEnd): Promise<void> {
    this.#step({ kind: 'ended', why });
    return this.#ended.promise;
  }

  changed(): void {
    this.#disclosure.panel.nudge();
  }

  async #announce(): Promise<void> {
    const { places, notice, clock, log } = this.#options;
    const speaking = places.all.map((place) => speakNotice(place, notice, clock, this.#stopping.signal));
    await Promise.all(speaking).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) log.warn({ error }, 'Cannot speak the notice of a voice session');
    });
    this.#step({ kind: 'announced' });
  }

  /** The only place that changes the state. It performs the effects of entering the new state. */
  #step(event: VoiceSessionEvent): void {
    const before = this.#state;
    const after = next(before, event);
    if (after === before) return;
    this.#state = after;
    switch (after.kind) {
      case 'announcing':
        break;
      case 'on':
        this.participants.resumeAll();
        break;
      case 'interrupted':
        this.participants.restAll('channel_lost');
        break;
      case 'ended':
        return this.#ended.resolve(this.#close(after.why).finally(this.#options.onEnded));
      default:
        return unreachable(after);
    }
    this.changed();
  }

  /**
   * Called one minute before the end of the session. Extends the session if that is allowed and a line is open;
   * otherwise warns the members.
   */
  async #nearEnd(): Promise<void> {
    const { places, panels, clock, mayRenew } = this.#options;
    this.#isRenewed = await mayRenew(places.booth.guildId);
    if (this.hasEnded) return;
    if (this.#isRenewed && this.participants.isAnyLive) {
      this.#times.prolong();
      return this.changed();
    }
    const { place } = this.#disclosure.panel;
    if (!place) return;
    const view = await this.look();
    await withDeadline(clock, CHAT_DEADLINE_MS, (signal) => panels.warn(place.channelId, view, signal));
  }

  async #close(why: SessionEnd): Promise<void> {
    const { consents, places, sound, log } = this.#options;
    this.#times.stop();
    this.#stopping.abort(new Error('The voice session ended'));
    for (const userId of this.participants.userIds) this.participants.leave(userId, 'end', CLOSED_FOR[why]);
    this.#background.add(consents.endAll(this.sessionId));
    const leaving = this.#disclosure.clear().then(() => places[Symbol.asyncDispose]());
    const results = await Promise.allSettled([
      sound[Symbol.asyncDispose](),
      leaving,
      this.#disclosure.panel.end(),
      this.#background.settled(),
    ]);
    for (const result of results) {
      if (result.status === 'rejected')
        log.warn({ error: result.reason }, 'Cannot end a voice session cleanly');
    }
  }
}
