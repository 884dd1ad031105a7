import { type Clock, DeadlineError, withDeadline } from '../../../../base/clock.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { VoiceConsentText } from './consent-text.ts';
import { refusal } from './desk-refusals.ts';
import { MemberNotes } from './member-notes.ts';
import type { Joining } from './speakers.ts';
import { CHOICE_PAUSE_MS, type VoiceLimits } from './voice-limits.ts';
import type { VoiceSession } from './voice-session.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { Joined } from './joined.ts';
import type { SpeakerView } from './speaker-view.ts';

interface AdmissionOptions {
  readonly consents: ConsentBook<VoiceConsentText>;
  readonly clock: Clock;
  readonly limits: Pick<VoiceLimits, 'speakersMax'>;
  /** Nobody waits for an answer any more. */
  readonly signal: AbortSignal;
}

/** The member's answer waits that long for the notice to be spoken and for the service, so that it tells a refusal. */
const PATIENCE_MS = 10_000;

/** Takes members into sessions: asks them first, once in a server, and stores that they agreed. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** How members wanted to join who were shown what they must agree to. */
  readonly #asked = new MemberNotes<Joining>();
  /** When members were last taken in. */
  readonly #takenIn = new MemberNotes<number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Takes the member in who agreed before; else they are to be asked. Throws `VoiceDeskError`. */
  async admit(session: VoiceSession, by: CallOrigin, voiceId: string | null): Promise<Joined> {
    const { consents, limits } = this.#options;
    const { userId, roleIds, guildId } = by;
    if (!session.memberOf(userId)) throw refusal('not_there', session.channelId);
    if (session.speakers.isBanned(userId)) throw refusal('removed');
    if (!session.speakers.has(userId) && session.speakers.userIds.length >= limits.speakersMax) {
      throw refusal('too_many_speakers');
    }
    const joining = { userId, roleIds, voiceId };
    if (await consents.hasAgreed(guildId, userId)) return this.takeIn(session, joining);
    this.#asked.note(session.sessionId, userId, joining);
    return { kind: 'ask', view: await session.look(), text: consents.text };
  }

  /** How a member wanted to join who was asked, once; undefined: they were not. */
  takeAsked(sessionId: string, userId: string): Joining | undefined {
    return this.#asked.take(sessionId, userId);
  }

  /** Takes a member in who agrees, or has agreed. Throws `VoiceDeskError`. */
  async takeIn(session: VoiceSession, joining: Joining): Promise<Joined> {
    const { consents } = this.#options;
    const { userId } = joining;
    this.#demandPause(session.sessionId, userId);
    const scope = { guildId: session.guildId, channelId: session.channelId, sessionId: session.sessionId };
    // First the books: nobody is listened to whose consent is not in them.
    await consents.give(scope, userId);
    const joined = session.join(joining);
    if (!joined) {
      await consents.revoke(scope, userId, 'left');
      throw refusal('not_there', session.channelId);
    }
    const speaker = await this.#settled(session, userId);
    return { kind: 'joined', view: await session.look(), speaker: speaker ?? joined };
  }

  #demandPause(sessionId: string, userId: string): void {
    const nowMs = this.#options.clock.monotonic();
    const lastMs = this.#takenIn.get(sessionId, userId) ?? -Infinity;
    if (nowMs - lastMs < CHOICE_PAUSE_MS) throw refusal('too_fast');
    this.#takenIn.note(sessionId, userId, nowMs);
  }

  /** Undefined: it takes longer than an answer may. */
  async #settled(session: VoiceSession, userId: string): Promise<SpeakerView | undefined> {
    const { clock, signal } = this.#options;
    try {
      return await withDeadline(clock, PATIENCE_MS, () => session.settled(userId), signal);
    } catch (error) {
      if (error instanceof DeadlineError || signal.aborted) return undefined;
      throw error;
    }
  }
}
