import { type ConsentBook, NO_CHANNEL } from '../../consent-book.ts';
import type { LiveConsentText } from '../live-consent-text.ts';

interface SessionConsentOptions {
  readonly book: ConsentBook<LiveConsentText>;
  readonly guildId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** The member has agreed in this guild before. */
  readonly isGiven: boolean;
}

/** The consent of a session's member, as the database has it. */
export class SessionConsent {
  readonly #options: SessionConsentOptions;
  #isGiven: boolean;
  #giving: Promise<void> = Promise.resolve();

  constructor(options: SessionConsentOptions) {
    this.#options = options;
    this.#isGiven = options.isGiven;
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** Returns false if the member has read another version of the text. Throws what the database throws. */
  async agree(version: string): Promise<boolean> {
    if (version !== this.#options.book.text.version) return false;
    const giving = this.write().then(() => {
      this.#isGiven = true;
    });
    this.#giving = giving.catch(() => undefined);
    await giving;
    return true;
  }

  /** Waits for a consent that is being stored, and returns whether the member has agreed. */
  async known(): Promise<boolean> {
    await this.#giving;
    return this.#isGiven;
  }

  /** Writes the consent for this session. A consent that is not in the database does not count. */
  write(): Promise<void> {
    const { book, guildId, userId, sessionId } = this.#options;
    return book.give({ guildId, channelId: NO_CHANNEL, sessionId }, userId);
  }

  end(): Promise<void> {
    const { book, sessionId } = this.#options;
    return book.endAll(sessionId);
  }
}
