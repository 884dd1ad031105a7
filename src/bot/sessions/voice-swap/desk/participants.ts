import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { type MicroUsd, ZERO, addMicros } from '../../../../base/money.ts';
import { Participant } from './participant.ts';
import type { CloseReason } from '../../line-end.ts';
import type { VoiceLines } from '../../voice-lines.ts';
import type { VoicePlace } from '../voice-connector.ts';
import type { VoiceCatalog } from '../../../jobs/voice-catalog.ts';
import type { ParticipantView } from './participant-view.ts';
import type { VoiceSound } from './voice-sound.ts';
import type { ParticipantHost } from './participant-host.ts';

/** A member who joins, and their chosen voice; null leaves the voice unchanged. */
export interface Joining {
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly voiceId: string | null;
}

interface ParticipantsOptions {
  readonly place: VoicePlace;
  readonly host: ParticipantHost;
  readonly lines: VoiceLines;
  readonly sound: VoiceSound;
  readonly voices: Pick<VoiceCatalog, 'list'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly idleMs: number;
  readonly unansweredMs: number;
}

/** For each way in which a participant's consent can be revoked, the reason for which their lines are closed. */
const LEFT_FOR: Readonly<Record<VoiceRevoker, CloseReason>> = {
  member: 'opted_out',
  left: 'left',
  moderator: 'moderated',
  end: 'stopped',
};

/** A session's participants, and the totals of its current and former participants. */
export class Participants {
  readonly #options: ParticipantsOptions;
  readonly #all = new Map<string, Participant>();
  /** Members removed by a moderator. */
  readonly #banned = new Set<string>();
  #pastMs = 0;
  #pastEstimate: MicroUsd = ZERO;

  constructor(options: ParticipantsOptions) {
    this.#options = options;
    options.sound.onSpeech((userId) => this.#all.get(userId)?.heard());
  }

  get userIds(): readonly string[] {
    return [...this.#all.keys()];
  }

  get views(): readonly ParticipantView[] {
    return this.#list().map((participant) => this.#viewOf(participant));
  }

  get isAnyLive(): boolean {
    return this.#list().some(({ isLive }) => isLive);
  }

  get totals(): { readonly convertedMs: number; readonly estimate: MicroUsd } {
    const all = this.#list();
    return {
      convertedMs: wholeSeconds(all.reduce((sum, { convertedMs }) => sum + convertedMs, this.#pastMs)),
      estimate: addMicros(this.#pastEstimate, ...all.map(({ estimate }) => estimate)),
    };
  }

  has(userId: string): boolean {
    return this.#all.has(userId);
  }

  isBanned(userId: string): boolean {
    return this.#banned.has(userId);
  }

  /** Returns the voice of a participant; `undefined` if the member is not a participant. */
  voiceOf(userId: string): string | null | undefined {
    return this.#all.get(userId)?.voiceId;
  }

  /**
   * Admits a member, or gives a participant another voice. A participant who has run out of attempts gets another
   * attempt.
   */
  join({ userId, roleIds, voiceId }: Joining): ParticipantView {
    const participant = this.#all.get(userId) ?? this.#add({ userId, roleIds, voiceId });
    participant.ask(voiceId);
    return this.#viewOf(participant);
  }

  /** Stops listening to the member at once. Returns false if they are not a participant. */
  leave(userId: string, by: VoiceRevoker, reason: CloseReason = LEFT_FOR[by]): boolean {
    if (by === 'moderator') this.#banned.add(userId);
    const participant = this.#all.get(userId);
    if (!participant) return false;
    participant.leave(reason);
    this.#all.delete(userId);
    this.#pastMs += participant.convertedMs;
    this.#pastEstimate = addMicros(this.#pastEstimate, participant.estimate);
    return true;
  }

  silence(userId: string, isSilenced: boolean): void {
    this.#all.get(userId)?.silence(isSilenced);
  }

  /** Requests lines for all participants. Called when the bot may listen to members, for the first time or again. */
  resumeAll(): void {
    for (const participant of this.#list()) participant.resume();
  }

  /**
   * Resolves once the line that is being opened for a member is open or has been refused, or at once if no line is
   * being opened.
   */
  async settled(userId: string): Promise<ParticipantView | undefined> {
    const participant = this.#all.get(userId);
    await participant?.connecting;
    return participant && this.#viewOf(participant);
  }

  /** Closes all lines. Each is opened again when its member speaks and the session allows it. */
  restAll(reason: CloseReason): void {
    for (const participant of this.#list()) participant.rest(reason);
  }

  tick(): void {
    for (const participant of this.#list()) participant.tick();
  }

  #add({ userId, roleIds, voiceId }: Joining): Participant {
    const { place, ...parts } = this.#options;
    const participant = new Participant({ ...parts, who: { ...place, userId, roleIds }, voiceId });
    this.#all.set(userId, participant);
    return participant;
  }

  #list(): readonly Participant[] {
    return [...this.#all.values()];
  }

  #viewOf({ userId, voiceId, state, convertedMs, estimate }: Participant): ParticipantView {
    const known = this.#options.voices.list?.find(({ id }) => id === voiceId)?.name;
    const voice = voiceId === null ? null : (known ?? voiceId);
    return { userId, voice, state, convertedMs: wholeSeconds(convertedMs), estimate };
  }
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
