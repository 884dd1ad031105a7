import type { Database } from '../../../db/database.ts';
import {
  endVoiceConsents,
  hasAgreedToVoice,
  listVoiceSpeakers,
  putVoiceConsent,
  revokeVoiceConsent,
} from '../../../db/queries/voice-consents.ts';
import type { VoiceRevoker } from '../../../db/schema/voice.ts';
import type { Clock } from '../../base/clock.ts';

/** Text that members agree to. Each change of the text needs a new `version`. */
export interface ConsentText {
  readonly version: string;
}

/** Where a consent applies: in a voice channel, or in no channel (`NO_CHANNEL`). */
interface ConsentPlace {
  readonly guildId: string;
  readonly channelId: string;
}

/** A session and the place where it runs. */
export interface ConsentScope extends ConsentPlace {
  readonly sessionId: string;
}

/**
 * The channel of sessions that do not take place in a channel. In each guild, a member has at most one consent without
 * a channel.
 */
export const NO_CHANNEL = '';

const SPEAKERS_MAX = 100;

/**
 * Records which members agreed to have their speech or camera picture converted: for which session, to which text, and
 * until when.
 */
export class ConsentBook<Text extends ConsentText = ConsentText> {
  readonly text: Text;
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly text: Text }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.text = options.text;
  }

  /** Returns whether the member has already agreed to the current text in the guild. */
  hasAgreed(guildId: string, userId: string): Promise<boolean> {
    return hasAgreedToVoice(this.#db.kysely, { guildId, userId, textVersion: this.text.version });
  }

  give({ guildId, channelId, sessionId }: ConsentScope, userId: string): Promise<void> {
    return this.#db.transaction(`member:${userId}`, (trx) =>
      putVoiceConsent(trx, {
        guild_id: guildId,
        channel_id: channelId,
        user_id: userId,
        session_id: sessionId,
        text_version: this.text.version,
        given_at_ms: this.#clock.now(),
      }),
    );
  }

  revoke({ guildId, channelId }: ConsentPlace, userId: string, by: VoiceRevoker): Promise<void> {
    const revoked = { atMs: this.#clock.now(), by };
    return revokeVoiceConsent(this.#db.kysely, { guildId, channelId, userId }, revoked);
  }

  endAll(sessionId: string): Promise<void> {
    return endVoiceConsents(this.#db.kysely, sessionId, this.#clock.now());
  }

  /**
   * Returns the members whose consent to a session is still valid. They are read from the database, because other
   * processes may have removed consents.
   */
  async standing(sessionId: string): Promise<ReadonlySet<string>> {
    return new Set(await listVoiceSpeakers(this.#db.kysely, sessionId, SPEAKERS_MAX));
  }
}
