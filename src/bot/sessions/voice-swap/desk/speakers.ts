import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { type MicroUsd, ZERO, addMicros } from '../../../../base/money.ts';
import { LEFT_FOR } from './close-reasons.ts';
import { Participant } from './participant.ts';
import type { CloseReason } from '../../line-end.ts';
import type { VoiceLines } from '../../voice-lines.ts';
import type { VoicePlace } from '../voice-connector.ts';
import type { VoiceCatalog } from '../../../jobs/voice-catalog.ts';
import type { SpeakerView } from './speaker-view.ts';
import type { VoiceSound } from './voice-sound.ts';
import type { ParticipantHost } from './participant-options.ts';

/** Who joins, with which voice. */
export interface Joining {
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly voiceId: string | null;
}

interface SpeakersOptions {
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

/** The members of one session who opted in, and what all those who ever did have used. */
export class Speakers {
  readonly #options: SpeakersOptions;
  readonly #all = new Map<string, Participant>();
  /** Taken out by a moderator. */
  readonly #banned = new Set<string>();
  #pastMs = 0;
  #pastEstimate: MicroUsd = ZERO;

  constructor(options: SpeakersOptions) {
    this.#options = options;
    options.sound.onSpeech((userId) => this.#all.get(userId)?.heard());
  }

  get userIds(): readonly string[] {
    return [...this.#all.keys()];
  }

  get views(): readonly SpeakerView[] {
    return [...this.#all.values()].map((speaker) => this.#viewOf(speaker));
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

  /** Undefined: they are not in it. */
  voiceOf(userId: string): string | null | undefined {
    return this.#all.get(userId)?.voiceId;
  }

  /** Takes a member in, or gives them another voice; whatever was over begins anew. */
  join({ userId, roleIds, voiceId }: Joining): SpeakerView {
    const known = this.#all.get(userId);
    if (known) {
      known.choose(voiceId);
      return this.#viewOf(known);
    }
    const { place, ...parts } = this.#options;
    const speaker = new Participant({ ...parts, who: { ...place, userId, roleIds }, voiceId });
    this.#all.set(userId, speaker);
    speaker.begin();
    return this.#viewOf(speaker);
  }

  /** The member is not listened to any more from now on; false when they were not in it. */
  leave(userId: string, by: VoiceRevoker, reason: CloseReason = LEFT_FOR[by]): boolean {
    if (by === 'moderator') this.#banned.add(userId);
    const speaker = this.#all.get(userId);
    if (!speaker) return false;
    speaker.leave(reason);
    this.#all.delete(userId);
    this.#pastMs += speaker.convertedMs;
    this.#pastEstimate = addMicros(this.#pastEstimate, speaker.estimate);
    return true;
  }

  silence(userId: string, isSilenced: boolean): void {
    this.#all.get(userId)?.silence(isSilenced);
  }

  /** Members can be heard now, or again. */
  resumeAll(): void {
    for (const speaker of this.#list()) speaker.resume();
  }

  /** Resolves when the line that is being opened for a member is there or refused; at once when none is. */
  async settled(userId: string): Promise<SpeakerView | undefined> {
    const speaker = this.#all.get(userId);
    await speaker?.connecting;
    return speaker && this.#viewOf(speaker);
  }

  /** Closes all lines; they open again when somebody speaks and the session lets them. */
  restAll(reason: CloseReason): void {
    for (const speaker of this.#list()) speaker.rest(reason);
  }

  tick(): void {
    for (const speaker of this.#list()) speaker.tick();
  }

  #list(): readonly Participant[] {
    return [...this.#all.values()];
  }

  #viewOf({ userId, voiceId, state, convertedMs, estimate }: Participant): SpeakerView {
    const known = this.#options.voices.list?.find(({ id }) => id === voiceId)?.name;
    const voice = voiceId === null ? null : (known ?? voiceId);
    return { userId, voice, state, convertedMs: wholeSeconds(convertedMs), estimate };
  }
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
