import type { Database } from '../../../../../db/database.ts';
import { Disposer } from '../../../../base/disposer.ts';
import { randomId } from '../../../../base/ids.ts';
import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import { Admission } from './admission.ts';
import { type JoinPlacesOptions, type Where, joinPlaces } from './join-places.ts';
import { SessionNotes } from './session-notes.ts';
import { refusal } from './refusal.ts';
import type { SessionParts } from './session-parts.ts';
import { VoiceSession } from './voice-session.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { VoicePlace } from '../voice-connector.ts';
import type { Joined } from './joined.ts';
import type { OpenSound } from './voice-sound.ts';
import type { StartRequest, VoiceChoice } from './start-request.ts';
import type { Access } from '../../../people/access/access.ts';
import type { VoiceView } from './voice-view.ts';
import type { VoiceWhereabouts } from './voice-whereabouts.ts';

interface VoiceDeskOptions extends SessionParts, JoinPlacesOptions {
  readonly db: Database;
  readonly openSound: OpenSound;
  readonly whereabouts: VoiceWhereabouts;
  readonly rules: Pick<Access, 'refusesVoice'>;
}

const MINUTES_MAX = 120;

/** Starts, supervises and ends the voice sessions of all guilds that this process serves. */
export class VoiceConversion implements AsyncDisposable {
  readonly #options: VoiceDeskOptions;
  readonly #sessions = new Map<string, VoiceSession>();
  /** Guilds in which the bot is joining a channel. */
  readonly #starting = new Set<string>();
  readonly #admission: Admission;
  readonly #notes: SessionNotes;
  readonly #owned = new Disposer();
  readonly #stopping = new AbortController();

  constructor(options: VoiceDeskOptions) {
    this.#options = options;
    this.#admission = new Admission({ ...options, signal: this.#stopping.signal });
    this.#notes = this.#owned.use(
      new SessionNotes({ ...options, isKnown: (sessionId) => this.#isKnown(sessionId) }),
    );
    this.#owned.use(options.db.changes.listen('removals', () => void this.#recheck()));
    this.#owned.defer(() =>
      Promise.all([...this.#sessions.values()].map((session) => session.end('shutdown'))),
    );
  }

  /** Corrects the panels of sessions that a crash ended. Must be called when Discord is connected. */
  begin(): void {
    this.#notes.begin();
  }

  /** Joins the member's channel, announces the conversion there, and admits the member. */
  async start(by: CallOrigin, request: StartRequest): Promise<Joined> {
    const { minutes } = request;
    if (!Number.isInteger(minutes) || minutes < 1 || minutes > MINUTES_MAX) throw refusal('out_of_range');
    const place = this.#placeOfCaller(by);
    this.#demandVoice(request);
    const stage = this.#stageOf(by, request, place);
    const access =
      (await this.#refusedTo(by, place.channelId)) ?? (stage && (await this.#refusedTo(by, stage.channelId)));
    if (access) return { kind: 'refused', access };
    this.#demandFree(place);
    this.#starting.add(place.guildId);
    try {
      const session = await this.#open(by, request, { place, stage });
      return await this.#admission.admit(session, by, request.voiceId);
    } finally {
      this.#starting.delete(place.guildId);
    }
  }

  /**
   * Admits a member, or changes their voice. Without a choice, a participant keeps their voice, and any other member
   * gets the voice of the member who started the session.
   */
  async join(by: CallOrigin, choice?: VoiceChoice): Promise<Joined> {
    const session = this.#demandSession(by.guildId);
    if (choice) this.#demandVoice(choice);
    const access = await this.#refusedTo(by, session.channelId);
    if (access) return { kind: 'refused', access };
    const known = session.participants.voiceOf(by.userId);
    const voiceId = choice ? choice.voiceId : (known ?? session.usualVoiceId);
    // A voice is left unchanged only if the member chose that themselves.
    if (voiceId === null && !choice && known === undefined) throw refusal('no_voice');
    return this.#admission.admit(session, by, voiceId);
  }

  /** Stores that the member agreed to the text that they were shown, and admits them. */
  async agree(by: CallOrigin, sessionId: string): Promise<Joined> {
    const session = this.#sessions.get(by.guildId);
    const joining = this.#admission.takeAsked(sessionId, by.userId);
    if (!session || session.sessionId !== sessionId || session.hasEnded || !joining)
      throw refusal('outdated');
    const access = await this.#refusedTo(by, session.channelId);
    return access ? { kind: 'refused', access } : this.#admission.admitAgreed(session, joining);
  }

  /**
   * Stops listening to the caller or, if the caller is a moderator, to another member. Returns false if that member was
   * not in the session.
   */
  async leave(by: CallOrigin, memberId: string = by.userId): Promise<boolean> {
    const session = this.#demandSession(by.guildId);
    if (memberId === by.userId) return session.leave(by.userId, 'member');
    if (!isModerator(by)) throw refusal('not_moderator');
    return session.leave(memberId, 'moderator');
  }

  /** Stops the session. Only the member who started it, admins and voice moderators may stop it. */
  async stop(by: CallOrigin): Promise<void> {
    const session = this.#demandSession(by.guildId);
    if (by.userId !== session.starterId && !isModerator(by)) throw refusal('not_allowed');
    await session.end('stopped');
  }

  /** Returns the guild's session; null if there is none. */
  async status(guildId: string): Promise<VoiceView | null> {
    return (await this.#sessions.get(guildId)?.look()) ?? null;
  }

  /** Stops listening to a member whose data is deleted. */
  forget(userId: string): void {
    for (const session of this.#sessions.values()) session.leave(userId, 'member');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The bot stops'));
    await this.#owned[Symbol.asyncDispose]();
  }

  #placeOfCaller({ guildId, userId }: CallOrigin): VoicePlace {
    const { whereabouts } = this.#options;
    if (!whereabouts.isKnown || this.#stopping.signal.aborted) throw refusal('unavailable');
    const channelId = whereabouts.channelOf(guildId, userId);
    if (channelId === null) throw refusal('not_in_voice');
    return { guildId, channelId };
  }

  /**
   * Returns the stage channel; null if none was requested. Only moderators may choose one, because the bot can be heard
   * there by members who were not asked.
   */
  #stageOf(
    by: CallOrigin,
    { stageChannelId }: StartRequest,
    { guildId, channelId }: VoicePlace,
  ): VoicePlace | null {
    if (stageChannelId === undefined) return null;
    if (!this.#options.stageConnector) throw refusal('no_stage');
    if (!isModerator(by)) throw refusal('not_moderator');
    if (stageChannelId === channelId) throw refusal('same_stage');
    return { guildId, channelId: stageChannelId };
  }

  #demandFree({ guildId, channelId }: VoicePlace): void {
    const session = this.#sessions.get(guildId);
    if (this.#starting.has(guildId) || session?.hasEnded) throw refusal('busy');
    if (session?.channelId === channelId) throw refusal('already_on');
    if (session) throw refusal('elsewhere', session.channelId);
    const { sessionsMax } = this.#options.limits;
    if (this.#sessions.size + this.#starting.size >= sessionsMax) throw refusal('too_many_sessions');
  }

  #demandVoice({ voiceId }: VoiceChoice): void {
    const { list } = this.#options.voices;
    if (voiceId === null) return;
    if (list === null) throw refusal('voices_unknown');
    if (!list.some(({ id }) => id === voiceId)) throw refusal('unknown_voice');
  }

  #demandSession(guildId: string): VoiceSession {
    const session = this.#sessions.get(guildId);
    if (!session || session.hasEnded) throw refusal('nothing_on');
    return session;
  }

  /**
   * Returns the access rule that forbids the request, or null. Checks first the channel where the command is used, then
   * the voice channel.
   */
  async #refusedTo(by: CallOrigin, channelId: string): Promise<AccessRefusal | null> {
    const { rules, whereabouts } = this.#options;
    const place = whereabouts.placeOf(by.guildId, channelId) ?? {
      parentChannelIds: null,
      isAgeRestricted: false,
    };
    return (await rules.refusesVoice(by)) ?? rules.refusesVoice({ ...by, channelId, ...place });
  }

  async #open(by: CallOrigin, { minutes, voiceId }: StartRequest, where: Where): Promise<VoiceSession> {
    const { place } = where;
    const places = await joinPlaces(where, this.#options, this.#stopping.signal);
    const sessionId = randomId('v');
    const session = new VoiceSession({
      ...this.#options,
      sessionId,
      starterId: by.userId,
      places,
      sound: this.#options.openSound(places.booth, places.speaking),
      notes: this.#notes.of({ sessionId, ...place }, where.stage?.channelId ?? null),
      minutes,
      usualVoiceId: voiceId,
      onEnded: () => this.#sessions.delete(place.guildId),
    });
    this.#sessions.set(place.guildId, session);
    if (await session.start([by.channelId, place.channelId])) return session;
    await session.end('undisclosed');
    throw refusal('undisclosed');
  }

  async #recheck(): Promise<void> {
    for (const session of this.#sessions.values()) {
      await session.recheck().catch((error: unknown) => {
        this.#options.log.warn({ error }, 'Cannot check the consents of a voice session');
      });
    }
  }

  #isKnown(sessionId: string): boolean {
    return [...this.#sessions.values()].some((session) => session.sessionId === sessionId);
  }
}

function isModerator({ isAdmin, isVoiceModerator }: CallOrigin): boolean {
  return isAdmin || isVoiceModerator;
}
