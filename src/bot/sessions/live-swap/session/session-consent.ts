import { type ConsentBook, NO_CHANNEL } from '../../consent-book.ts';
import type { LiveConsentText } from '../live-consent-text.ts';

interface SessionConsentOptions {
  readonly book: ConsentBook<LiveConsentText>;
  readonly guildId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** They have agreed in this guild before. */
  readonly isGiven: boolean;
}

/** The consent of a session's member, as far as it is in the books. */
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

  /** False: it is another text than they have read. Throws what the database throws. */
  async agree(version: string): Promise<boolean> {
    if (version !== this.#options.book.text.version) return false;
    const giving = this.write().then(() => {
      this.#isGiven = true;
    });
    this.#giving = giving.catch(() => undefined);
    await giving;
    return true;
  }

  /** Waits for what is being stored; whether they have agreed then. */
  async known(): Promise<boolean> {
    await this.#giving;
    return this.#isGiven;
  }

  /** For this session: what is not in the books does not count. */
  write(): Promise<void> {
    const { book, guildId, userId, sessionId } = this.#options;
    return book.give({ guildId, channelId: NO_CHANNEL, sessionId }, userId);
  }

  end(): Promise<void> {
    const { book, sessionId } = this.#options;
    return book.endAll(sessionId);
  }
}
