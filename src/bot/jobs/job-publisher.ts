import type { FinalCard, PriceCard, ProgressCard } from './cards.ts';
import type { ReplyTarget } from './reply-target.ts';

/** How the pipeline reaches the chat. Declared here, implemented in `src/bot/discord/cards/publisher.ts`. */
export interface JobPublisher {
  /**
   * Shows a stage on the member's card. Returns at once; at most one edit per 5 s and job leaves the
   * process, and none after a final card was begun for the same job. `isTrue` is asked just before it leaves: another
   * process may have ended the job meanwhile.
   */
  showProgress(target: ReplyTarget, progress: ProgressCard, isTrue?: () => Promise<boolean>): void;
  /**
   * Puts the question for a price in place of the progress, with what answers it; progress shown later takes its
   * place. Safe to repeat. `isTrue` is asked just before it leaves: without need it is `outdated`. Throws when the
   * chat could not be asked (worth a retry).
   */
  ask(target: ReplyTarget, card: PriceCard, options: AskOptions): Promise<Published | Outdated>;
  /**
   * Puts the final card in place of the progress. Safe to repeat: however often it is called for a job,
   * one message shows one final card. Throws when the chat could not be asked (worth a retry).
   */
  publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published>;
  /**
   * Takes a message away for good; one that is gone already is fine. False when the chat does not let the bot.
   * Throws when the chat could not be asked.
   */
  remove(message: PostedMessage, signal: AbortSignal): Promise<boolean>;
}

export interface AskOptions {
  readonly isTrue: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** There was no need any more. */
export interface Outdated {
  readonly outcome: 'outdated';
}

export interface PostedMessage {
  readonly channelId: string;
  readonly messageId: string;
}

export type Published =
  | { readonly outcome: 'posted'; readonly messageId: string }
  /** The chat said no for good (channel gone, no permission, blocked): the result stays kept. */
  | { readonly outcome: 'undeliverable'; readonly reason: string };
