import type { Client } from 'discord.js';
import type { Clock } from '../base/clock.ts';
import { unreachable } from '../base/errors.ts';
import type { PostedMessage, Published, ReplyTarget } from '../jobs/ports.ts';
import { cardNonce, isCardOf } from './replies/cards.ts';
import { type MessageBody, MessageCalls, type Outgoing, type SeenMessage } from './message-calls.ts';
import type { RequestGuard } from './request-guard.ts';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';

export interface CardDeliveryOptions {
  /** Logged in by the time that the first card is due. */
  readonly client: Client;
  readonly clock: Clock;
  readonly guard?: RequestGuard;
}

const TOKEN_LIFE_MS = 15 * 60_000;
const TOKEN_MARGIN_MS = 30_000;
const LOOK_PAGES_MAX = 5;
const LOOK_PAGE_SIZE = 100;
/** Nothing is left to remove. */
const GONE: ReadonlySet<string> = new Set(['message_deleted', 'channel_gone', 'guild_gone']);
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** What came of one way to reach the card: done, or why another way must be tried. */
type Attempt = Published | 'token_dead' | 'uneditable';

/** Finds a job's card wherever it is reachable, and changes it; posts it anew when it is nowhere. */
export class CardDelivery {
  readonly #options: CardDeliveryOptions;
  readonly #calls: MessageCalls;

  constructor(options: CardDeliveryOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options.client.rest, options.guard);
  }

  /** One edit where the card is known to be, or nothing. Throws what the REST client throws. */
  async edit(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<void> {
    if (this.#tokenLives(target)) await this.#calls.editOriginal(target, message, signal);
    else if (target.messageId !== null) {
      await this.#calls.editMessage(target.channelId, target.messageId, message, signal);
    }
  }

  /**
   * Makes one message of the job show `message`, however often it is called. Throws `DiscordError` when
   * Discord could not be asked.
   */
  async put(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<Published> {
    const { channelId, messageId } = target;
    let edited: Attempt = 'token_dead';
    if (this.#tokenLives(target)) {
      edited = await attempt(() => this.#calls.editOriginal(target, message, signal));
    }
    if (edited === 'token_dead' && messageId !== null) {
      edited = await attempt(() => this.#calls.editMessage(channelId, messageId, message, signal));
    }
    return typeof edited === 'string' ? this.#postOnce(target, message, signal) : edited;
  }

  /** Whether the message is gone now. Throws `DiscordError` when Discord could not be asked. */
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
      const edited = await attempt(() => this.#calls.editMessage(channelId, earlier.id, message, signal));
      if (typeof edited !== 'string') return edited;
    }
    const nonce = cardNonce(jobId);
    const posted = await attempt(() => this.#calls.createMessage(channelId, nonce, message, signal));
    // Discord knows the nonce but no longer the message: it was posted, and somebody took it away.
    return typeof posted === 'string' ? { outcome: 'undeliverable', reason: 'message_deleted' } : posted;
  }

  /**
   * Discord forgets a nonce after some minutes, and a crash may have come between post and record: so the
   * channel is looked through, back to the moment of the command, before anything new is posted.
   */
  async #findEarlier(target: ReplyTarget, signal: AbortSignal): Promise<SeenMessage | undefined> {
    const sinceMs = target.tokenExpiresAtMs - TOKEN_LIFE_MS;
    let beforeId: string | undefined;
    for (let page = 0; page < LOOK_PAGES_MAX; page++) {
      const messages = await this.#look(target.channelId, beforeId, signal);
      const found = messages.find(
        (message) => message.authorId === this.#options.client.user?.id && isCardOf(target.jobId, message),
      );
      const last = messages.at(-1);
      if (found || !last || messages.length < LOOK_PAGE_SIZE || sentAtMs(last) < sinceMs) return found;
      beforeId = last.id;
    }
    return undefined;
  }

  async #look(channelId: string, beforeId: string | undefined, signal: AbortSignal): Promise<SeenMessage[]> {
    const page = { limit: LOOK_PAGE_SIZE, ...(beforeId === undefined ? {} : { beforeId }) };
    try {
      return await this.#calls.listMessages(channelId, page, signal);
    } catch (error) {
      // A bot that may not read here cannot look, but may still be allowed to post; the nonce guards that.
      if (judgeRestError(error).kind !== 'unreachable') return [];
      throw withoutRequest(error, 'look for an earlier card');
    }
  }

  #tokenLives(target: ReplyTarget): boolean {
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

function sentAtMs(message: SeenMessage): number {
  return Number((BigInt(message.id) >> 22n) + DISCORD_EPOCH_MS);
}
