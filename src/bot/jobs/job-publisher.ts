import type { FinalCard, PriceCard, ProgressCard } from './cards.ts';
import type { ReplyTarget } from './reply-target.ts';

/** Shows jobs in the chat. Implemented in `src/bot/discord/cards/discord-publisher.ts`. */
export interface JobPublisher {
  /**
   * Shows a stage on the member's card, and returns immediately. Each job gets at most one edit every 5 s, and none
   * once its final card is being sent. `isTrue` is called immediately before an edit is sent; if it returns false, the
   * edit is dropped, because another process may have ended the job in the meantime.
   */
  showProgress(target: ReplyTarget, progress: ProgressCard, isTrue?: () => Promise<boolean>): void;
  /**
   * Replaces the progress with the price question and its buttons. Later progress replaces the question. Repeated calls
   * are harmless. `isTrue` is called immediately before the question is sent; if it returns false, the outcome is
   * `outdated`. Throws if the chat cannot be reached; a retry may succeed.
   */
  ask(target: ReplyTarget, card: PriceCard, options: AskOptions): Promise<Published | Outdated>;
  /**
   * Replaces the progress with the final card. Repeated calls are harmless: a job always has one message with one final
   * card. Throws if the chat cannot be reached; a retry may succeed.
   */
  publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published>;
  /**
   * Deletes a message, which may already be gone. Returns false if the bot lacks the permission. Throws if the chat
   * cannot be reached.
   */
  remove(message: PostedMessage, signal: AbortSignal): Promise<boolean>;
}

export interface AskOptions {
  readonly isTrue: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The question was no longer needed. */
export interface Outdated {
  readonly outcome: 'outdated';
}

export interface PostedMessage {
  readonly channelId: string;
  readonly messageId: string;
}

export type Published =
  | { readonly outcome: 'posted'; readonly messageId: string }
  /** The chat refused the card permanently (channel gone, no permission, blocked). The result is still kept. */
  | { readonly outcome: 'undeliverable'; readonly reason: string };
