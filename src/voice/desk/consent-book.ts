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
import type { VoicePlace } from '../ports.ts';
import type { VoiceConsentText } from './consent-text.ts';

/** A session, and where it is. */
export interface ConsentScope extends VoicePlace {
  readonly sessionId: string;
}

const SPEAKERS_MAX = 100;

/** Who agreed that their speech is converted: for which session, to which wording, and until when. */
export class ConsentBook {
  readonly text: VoiceConsentText;
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly text: VoiceConsentText }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.text = options.text;
  }

  /** Whether the member has read and agreed to this wording in the guild before. */
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

  revoke({ guildId, channelId }: VoicePlace, userId: string, by: VoiceRevoker): Promise<void> {
    const revoked = { atMs: this.#clock.now(), by };
    return revokeVoiceConsent(this.#db.kysely, { guildId, channelId, userId }, revoked);
  }

  endAll(sessionId: string): Promise<void> {
    return endVoiceConsents(this.#db.kysely, sessionId, this.#clock.now());
  }

  /** Whose consent to a session still counts: also what other processes removed is gone from here. */
  async standing(sessionId: string): Promise<ReadonlySet<string>> {
    return new Set(await listVoiceSpeakers(this.#db.kysely, sessionId, SPEAKERS_MAX));
  }
}
