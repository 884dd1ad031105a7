import type { Client } from 'discord.js';
import type { Clock } from '../../../base/clock.ts';
import { unreachable } from '../../../base/errors.ts';
import { findEarlierMessage } from '../wire/find-earlier-message.ts';
import { cardNonce, isCardOf } from '../words/replies/cards.ts';
import { type MessageBody, MessageCalls, type Outgoing, type SeenMessage } from '../wire/message-calls.ts';
import type { RequestGuard } from '../wire/request-guard.ts';
import { judgeRestError, withoutRequest } from '../wire/rest-verdict.ts';
import type { PostedMessage, Published } from '../../jobs/job-publisher.ts';
import type { ReplyTarget } from '../../jobs/reply-target.ts';

export interface CardDeliveryOptions {
  /** Must be logged in before the first card is due. */
  readonly client: Client;
  readonly clock: Clock;
  readonly guard?: RequestGuard;
}

const TOKEN_LIFE_MS = 15 * 60_000;
const TOKEN_MARGIN_MS = 30_000;
/** The verdicts that mean that there is nothing left to remove. */
const GONE: ReadonlySet<string> = new Set(['message_deleted', 'channel_gone', 'guild_gone']);

/** The outcome of one way to reach the card: published, or the reason to try another way. */
type Attempt = Published | 'token_dead' | 'uneditable';

/** Reaches a job's card in any way that works and edits it; posts a new card if there is none. */
export class CardDelivery {
  readonly #options: CardDeliveryOptions;
  readonly #calls: MessageCalls;

  constructor(options: CardDeliveryOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options.client.rest, options.guard);
  }

  /**
   * Makes at most one edit, in the message last recorded for the card. Passes REST client errors on to the caller.
   */
  async edit(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<void> {
    if (this.#isTokenValid(target)) await this.#calls.editOriginal(target, message, signal);
    else if (target.messageId !== null) {
      await this.#calls.editMessage(
        { channelId: target.channelId, messageId: target.messageId },
        message,
        signal,
      );
    }
  }

  /**
   * Makes exactly one message of the job show `message`, even when called repeatedly. Throws `DiscordError` if Discord
   * cannot be reached.
   */
  async put(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<Published> {
    const { channelId, messageId } = target;
    let edited: Attempt = 'token_dead';
    if (this.#isTokenValid(target)) {
      edited = await attempt(() => this.#calls.editOriginal(target, message, signal));
    }
    if (edited === 'token_dead' && messageId !== null) {
      edited = await attempt(() => this.#calls.editMessage({ channelId, messageId }, message, signal));
    }
    return typeof edited === 'string' ? this.#postOnce(target, message, signal) : edited;
  }

  /** Deletes a message, and returns whether it is gone. Throws `DiscordError` if Discord cannot be reached. */
  async remove({ channelId, messageId }: PostedMessage, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#calls.deleteMessage(channelId, messageId, signal);
      return true;
    } catch (error) {
      const verdict = judgeRestError(error);
      if (verdict.kind === 'unreachable') throw withoutRequest(error, 'remove a card');
      return 'reason' in verdict && GONE.has(verdict.reason);
    }
  }

  async #postOnce(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<Published> {
    const { channelId, jobId } = target;
    const earlier = await this.#findEarlier(target, signal);
    if (earlier && showsSame(earlier, message.body)) return { outcome: 'posted', messageId: earlier.id };
    if (earlier) {
      const edited = await attempt(() =>
        this.#calls.editMessage({ channelId, messageId: earlier.id }, message, signal),
      );
      if (typeof edited !== 'string') return edited;
    }
    const nonce = cardNonce(jobId);
    const posted = await attempt(() => this.#calls.createMessage({ channelId, nonce }, message, signal));
    // Discord still recognises the nonce, but the message no longer exists: it was posted, and then deleted.
    return typeof posted === 'string' ? { outcome: 'undeliverable', reason: 'message_deleted' } : posted;
  }

  #findEarlier(target: ReplyTarget, signal: AbortSignal): Promise<SeenMessage | undefined> {
    const { channelId, jobId } = target;
    const sinceMs = target.tokenExpiresAtMs - TOKEN_LIFE_MS;
    const isOwnCard = (message: SeenMessage): boolean =>
      message.authorId === this.#options.client.user?.id && isCardOf(jobId, message);
    return findEarlierMessage(this.#calls, { channelId, sinceMs, matches: isOwnCard }, signal);
  }

  #isTokenValid(target: ReplyTarget): boolean {
    return this.#options.clock.now() < target.tokenExpiresAtMs - TOKEN_MARGIN_MS;
  }
}

async function attempt(call: () => Promise<SeenMessage>): Promise<Attempt> {
  try {
    return { outcome: 'posted', messageId: (await call()).id };
  } catch (error) {
    const verdict = judgeRestError(error);
    switch (verdict.kind) {
      case 'token_dead':
      case 'uneditable':
        return verdict.kind;
      case 'refused':
        return { outcome: 'undeliverable', reason: verdict.reason };
      case 'unreachable':
        throw withoutRequest(error, 'publish a card');
      default:
        return unreachable(verdict);
    }
  }
}

function showsSame(seen: SeenMessage, body: MessageBody): boolean {
  return seen.title === (body.embeds[0]?.title ?? null) && seen.attachmentCount === body.attachments.length;
}
