import { type Clock, DeadlineError, withDeadline } from '../../../../base/clock.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { VoiceConsentText } from './voice-consent-text.ts';
import { refusal } from './refusal.ts';
import { MemberNotes } from './member-notes.ts';
import type { Joining } from './participants.ts';
import { CHOICE_PAUSE_MS, type VoiceLimits } from './voice-limits.ts';
import type { VoiceSession } from './voice-session.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { Joined } from './joined.ts';
import type { ParticipantView } from './participant-view.ts';

interface AdmissionOptions {
  readonly consents: ConsentBook<VoiceConsentText>;
  readonly clock: Clock;
  readonly limits: Pick<VoiceLimits, 'speakersMax'>;
  /** Aborts when the bot is stopping, so that no caller waits for a reply any longer. */
  readonly signal: AbortSignal;
}

/**
 * The reply to a member waits for the notice and the service, so that it can report a refusal, but at most this long.
 */
const PATIENCE_MS = 10_000;

/** Admits members to sessions: asks each of them for their consent, once per guild, and stores it. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** The join requests of members who were shown the text that they must agree to. */
  readonly #asked = new MemberNotes<Joining>();
  /** When members were last admitted. */
  readonly #admittedAtMs = new MemberNotes<number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Admits a member who has agreed before. For any other member, returns the text that they must agree to. Throws
   * `VoiceDeskError`.
   */
  async admit(session: VoiceSession, by: CallOrigin, voiceId: string | null): Promise<Joined> {
    const { consents, limits } = this.#options;
    const { userId, roleIds, guildId } = by;
    if (!session.memberOf(userId)) throw refusal('not_there', session.channelId);
    if (session.participants.isBanned(userId)) throw refusal('removed');
    if (!session.participants.has(userId) && session.participants.userIds.length >= limits.speakersMax) {
      throw refusal('too_many_speakers');
    }
    const joining = { userId, roleIds, voiceId };
    if (await consents.hasAgreed(guildId, userId)) return this.admitAgreed(session, joining);
    this.#asked.note(session.sessionId, userId, joining);
    return { kind: 'ask', view: await session.look(), text: consents.text };
  }

  /** Returns the member's join request and deletes it; `undefined` if they were not shown the text. */
  takeAsked(sessionId: string, userId: string): Joining | undefined {
    return this.#asked.take(sessionId, userId);
  }

  /** Admits a member who agrees now or has agreed before. Throws `VoiceDeskError`. */
  async admitAgreed(session: VoiceSession, joining: Joining): Promise<Joined> {
    const { consents } = this.#options;
    const { userId } = joining;
    this.#demandPause(session.sessionId, userId);
    const scope = { guildId: session.guildId, channelId: session.channelId, sessionId: session.sessionId };
    // The consent is stored first, because the bot listens to nobody without a stored consent.
    await consents.give(scope, userId);
    const joined = session.join(joining);
    if (!joined) {
      await consents.revoke(scope, userId, 'left');
      throw refusal('not_there', session.channelId);
    }
    const settled = await this.#settled(session, userId);
    return { kind: 'joined', view: await session.look(), speaker: settled ?? joined };
  }

  #demandPause(sessionId: string, userId: string): void {
    const nowMs = this.#options.clock.monotonic();
    const lastMs = this.#admittedAtMs.get(sessionId, userId) ?? -Infinity;
    if (nowMs - lastMs < CHOICE_PAUSE_MS) throw refusal('too_fast');
    this.#admittedAtMs.note(sessionId, userId, nowMs);
  }

  /** Returns undefined if opening the line takes longer than the reply may wait. */
  async #settled(session: VoiceSession, userId: string): Promise<ParticipantView | undefined> {
    const { clock, signal } = this.#options;
    try {
      return await withDeadline(clock, PATIENCE_MS, () => session.settled(userId), signal);
    } catch (error) {
      if (error instanceof DeadlineError || signal.aborted) return undefined;
      throw error;
    }
  }
}
