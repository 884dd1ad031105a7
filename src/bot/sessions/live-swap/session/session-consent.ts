import { type ConsentBook, NO_CHANNEL } from '../../consent-book.ts';
import type { LiveConsentText } from '../live-consent-text.ts';

interface SessionConsentOptions {
  readonly book: ConsentBook<LiveConsentText>;
  readonly guildId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** Whether the member has agreed in this guild before. */
  readonly isGiven: boolean;
}

/** The consent of a session's member, as it is stored in the database. */
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

  /**
   * Stores the member's consent. Returns false if they read a different version of the text. Passes database errors on
   * to the caller.
   */
  async agree(version: string): Promise<boolean> {
    if (version !== this.#options.book.text.version) return false;
    const giving = this.write().then(() => {
      this.#isGiven = true;
    });
    this.#giving = giving.catch(() => undefined);
    await giving;
    return true;
  }

  /** Waits until any consent that is being stored has been stored, then returns whether the member has agreed. */
  async known(): Promise<boolean> {
    await this.#giving;
    return this.#isGiven;
  }

  /** Stores the consent for this session. Only a stored consent is valid. */
  write(): Promise<void> {
    const { book, guildId, userId, sessionId } = this.#options;
    return book.give({ guildId, channelId: NO_CHANNEL, sessionId }, userId);
  }

  end(): Promise<void> {
    const { book, sessionId } = this.#options;
    return book.endAll(sessionId);
  }
}
