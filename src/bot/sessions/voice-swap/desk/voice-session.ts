import { withDeadline } from '../../../../base/clock.ts';
import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import { CLOSED_FOR } from './close-reasons.ts';
import { Disclosure } from './disclosure.ts';
import type { SessionOptions } from './session-parts.ts';
import { SessionTimes } from './session-times.ts';
import { SideWork } from './side-work.ts';
import { type Joining, Speakers } from './speakers.ts';
import { speakNotice } from './spoken-notice.ts';
import type { VoiceMember } from '../voice-endpoint.ts';
import type { SessionEnd, SessionPhase, VoiceView } from './voice-view.ts';
import type { SpeakerView } from './speaker-view.ts';
import type { ParticipantHost } from './participant-options.ts';

const CHAT_DEADLINE_MS = 10_000;

/**
 * The bot in one voice channel, from its joining to its leaving. Paid lines are open only while it is connected,
 * shown to be there, and has time left, and while the member who speaks is there.
 */
export class VoiceSession implements ParticipantHost {
  readonly speakers: Speakers;
  readonly #options: SessionOptions;
  readonly #disclosure: Disclosure;
  readonly #stopping = new AbortController();
  readonly #times: SessionTimes;
  readonly #side: SideWork;
  #phase: SessionPhase = { kind: 'announcing' };
  #isRenewed = false;
  #announcing: Promise<void> = Promise.resolve();
  #ended: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { limits, places, log } = options;
    const { guildId, channelId } = places.booth;
    this.#side = new SideWork(log);
    this.#times = new SessionTimes({
      ...options,
      emptyMs: limits.emptyMs,
      isEmpty: () => this.#phase.kind !== 'interrupted' && places.isEmpty,
      listener: {
        tick: () => this.speakers.tick(),
        figures: () => {
          if (this.speakers.isAnyLive) this.changed();
        },
        recheck: () => this.#side.add(this.recheck()),
        nearEnd: () => this.#side.add(this.#nearEnd()),
        ended: (why) => void this.end(why),
      },
    });
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
    return this.#phase.kind === 'on' && this.#disclosure.isVisible && places.isHeard && !this.#times.isOver;
  }

  get isRenewed(): boolean {
    return this.#isRenewed;
  }

  get minutesLeft(): number {
    return this.#times.minutesLeft;
  }

  /**
   * Shows what goes on and says it aloud; after that members are heard. False when the chat lets the bot show it
   * nowhere. The channels for the panel are tried in turn.
   */
  async begin(panelChannelIds: readonly string[]): Promise<boolean> {
    if (!(await this.#disclosure.show(panelChannelIds))) return false;
    if (this.hasEnded) return true;
    this.#times.start();
    this.#announcing = this.#announce();
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
      endsAtMs: this.#times.endsAtMs,
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

  /** Resolves when the line that is opened for a member is there or refused, which is after the notice. */
  async settled(userId: string): Promise<SpeakerView | undefined> {
    await this.#announcing;
    return this.speakers.settled(userId);
  }

  /** The member is not heard any more from now on; false when they were not in it. */
  leave(userId: string, by: VoiceRevoker): boolean {
    if (!this.speakers.leave(userId, by)) return false;
    const { consents, places } = this.#options;
    this.#side.add(consents.revoke(places.booth, userId, by));
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

  /** A minute before its end a session goes on by itself, where that is allowed and used; else it is told. */
  async #nearEnd(): Promise<void> {
    const { places, panels, clock, mayRenew } = this.#options;
    this.#isRenewed = await mayRenew(places.booth.guildId);
    if (this.hasEnded) return;
    if (this.#isRenewed && this.speakers.isAnyLive) {
      this.#times.prolong();
      return this.changed();
    }
    const { place } = this.#disclosure.panel;
    if (!place) return;
    const view = await this.look();
    await withDeadline(clock, CHAT_DEADLINE_MS, (signal) => panels.warn(place.channelId, view, signal));
  }

  async #end(why: SessionEnd): Promise<void> {
    const { consents, places, sound, log } = this.#options;
    this.#phase = { kind: 'ended', why };
    this.#times.stop();
    this.#stopping.abort(new Error('The voice session ended'));
    for (const userId of this.speakers.userIds) this.speakers.leave(userId, 'end', CLOSED_FOR[why]);
    this.#side.add(consents.endAll(this.sessionId));
    const leaving = this.#disclosure.clear().then(() => places[Symbol.asyncDispose]());
    const results = await Promise.allSettled([
      sound[Symbol.asyncDispose](),
      leaving,
      this.#disclosure.panel.end(),
      this.#side.settled(),
    ]);
    for (const result of results) {
      if (result.status === 'rejected')
        log.warn({ error: result.reason }, 'Cannot end a voice session cleanly');
    }
  }
}
