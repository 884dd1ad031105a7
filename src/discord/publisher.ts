import { readFile, stat } from 'node:fs/promises';
import type { RawFile, REST } from 'discord.js';
import { type Clock, withDeadline } from '../base/clock.ts';
import { unreachable } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type {
  FinalCard,
  JobPublisher,
  ProgressCard,
  Published,
  ReplyTarget,
  ResultCard,
} from '../jobs/ports.ts';
import { CardLane } from './card-lane.ts';
import {
  cardNonce,
  failureBody,
  isCardOf,
  progressBody,
  resultBody,
  safeFileName,
  tooLargeBody,
} from './cards.ts';
import { type MessageBody, MessageCalls, type Outgoing, type SeenMessage } from './message-calls.ts';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';

export interface PublisherOptions {
  /** A logged-in client's REST part. */
  readonly rest: REST;
  /** The bot's own user id: only its messages are looked through for an earlier post. */
  readonly botUserId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Largest file that is read and sent, in bytes. Default 25 MiB, the documented limit of one request. */
  readonly fileSizeBytesMax?: number;
}

const PROGRESS_INTERVAL_MS = 5_000;
const PROGRESS_DEADLINE_MS = 10_000;
const PUBLISH_DEADLINE_MS = 120_000;
/** Discord limits edits of messages older than an hour; the last one belongs to the final card. */
const PROGRESS_AGE_MS_MAX = 55 * 60_000;
const TOKEN_LIFE_MS = 15 * 60_000;
const TOKEN_MARGIN_MS = 30_000;
const FILE_SIZE_BYTES_MAX = 25 * 1024 * 1024;
const LANES_MAX = 2_000;
const LOOK_PAGES_MAX = 5;
const LOOK_PAGE_SIZE = 100;
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** What came of one way to reach the card: done, or why another way must be tried. */
type Attempt = Published | 'token_dead' | 'uneditable';

/** Puts job cards into Discord. Holds nothing that must outlive the process. */
export class DiscordPublisher implements JobPublisher {
  readonly #calls: MessageCalls;
  readonly #options: PublisherOptions;
  readonly #fileSizeBytesMax: number;
  readonly #lanes = new Map<string, CardLane>();
  readonly #shown = new WeakMap<CardLane, string>();

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options.rest);
    this.#fileSizeBytesMax = options.fileSizeBytesMax ?? FILE_SIZE_BYTES_MAX;
  }

  showProgress(target: ReplyTarget, progress: ProgressCard): void {
    if (this.#options.clock.now() - progress.acceptedAtMs > PROGRESS_AGE_MS_MAX) return;
    const lane = this.#laneOf(target.jobId);
    lane?.offer(() => this.#sendProgress(lane, target, progress));
  }

  publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published> {
    const { clock } = this.#options;
    // Without room among the lanes progress is not shown either, so there is nothing to come after.
    const lane = this.#laneOf(target.jobId) ?? new CardLane(clock, PROGRESS_INTERVAL_MS);
    return lane.final(() =>
      withDeadline(clock, PUBLISH_DEADLINE_MS, (combined) => this.#deliver(target, card, combined), signal),
    );
  }

  /** The job's lane, most recently used last; undefined when all lanes are busy. */
  #laneOf(jobId: string): CardLane | undefined {
    const known = this.#lanes.get(jobId);
    if (!known && this.#lanes.size >= LANES_MAX && !this.#forgetOne()) return undefined;
    const lane = known ?? new CardLane(this.#options.clock, PROGRESS_INTERVAL_MS);
    this.#lanes.delete(jobId);
    this.#lanes.set(jobId, lane);
    return lane;
  }

  #forgetOne(): boolean {
    for (const [jobId, lane] of this.#lanes) {
      if (lane.idle) return this.#lanes.delete(jobId);
    }
    return false;
  }

  async #sendProgress(lane: CardLane, target: ReplyTarget, progress: ProgressCard): Promise<void> {
    const body = progressBody(target, progress);
    const text = JSON.stringify(body);
    if (this.#shown.get(lane) === text) return;
    try {
      await withDeadline(this.#options.clock, PROGRESS_DEADLINE_MS, (signal) =>
        this.#editKnown(target, { body, files: [] }, signal),
      );
      this.#shown.set(lane, text);
    } catch (error) {
      // Every further try would be refused as well, and Discord counts refusals against the bot.
      if (judgeRestError(error).kind !== 'unreachable') lane.seal();
      const fields = { jobId: target.jobId, error: withoutRequest(error, 'show progress') };
      this.#options.log.warn(fields, 'Cannot show progress');
    }
  }

  async #editKnown(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<void> {
    if (this.#tokenLives(target)) await this.#calls.editOriginal(target, message, signal);
    else if (target.messageId !== null) {
      await this.#calls.editMessage(target.channelId, target.messageId, message, signal);
    }
  }

  async #deliver(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published> {
    if (card.kind === 'failure') {
      return this.#put(target, { body: failureBody(target, card), files: [] }, signal);
    }
    const file = await this.#readFile(card);
    const published: Published = file
      ? await this.#put(target, { body: resultBody(target, card), files: [file] }, signal)
      : { outcome: 'undeliverable', reason: 'too_large' };
    if (published.outcome === 'undeliverable' && published.reason === 'too_large') {
      await this.#sayTooLarge(target, card, signal);
    }
    return published;
  }

  /** The member should not be left with a card that says "in progress"; the outcome stays what it is. */
  async #sayTooLarge(target: ReplyTarget, card: ResultCard, signal: AbortSignal): Promise<void> {
    await this.#put(target, { body: tooLargeBody(target, card), files: [] }, signal);
  }

  async #readFile({ file }: ResultCard): Promise<RawFile | undefined> {
    const { size } = await stat(file.path);
    if (size > this.#fileSizeBytesMax) return undefined;
    return { name: safeFileName(file.name), data: await readFile(file.path), contentType: file.mime };
  }

  /** Edits the card where it is known to be, else where it is found, else posts it anew. */
  async #put(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<Published> {
    const { channelId, messageId } = target;
    let edited: Attempt = 'token_dead';
    if (this.#tokenLives(target)) {
      edited = await this.#attempt(() => this.#calls.editOriginal(target, message, signal));
    }
    if (edited === 'token_dead' && messageId !== null) {
      edited = await this.#attempt(() => this.#calls.editMessage(channelId, messageId, message, signal));
    }
    return typeof edited === 'string' ? this.#postOnce(target, message, signal) : edited;
  }

  async #postOnce(target: ReplyTarget, message: Outgoing, signal: AbortSignal): Promise<Published> {
    const { channelId, jobId } = target;
    const earlier = await this.#findEarlier(target, signal);
    if (earlier && showsSame(earlier, message.body)) return { outcome: 'posted', messageId: earlier.id };
    if (earlier) {
      const edited = await this.#attempt(() =>
        this.#calls.editMessage(channelId, earlier.id, message, signal),
      );
      if (typeof edited !== 'string') return edited;
    }
    const posted = await this.#attempt(() =>
      this.#calls.createMessage(channelId, cardNonce(jobId), message, signal),
    );
    // Discord knows the nonce but no longer the message: it was posted, and somebody took it away.
    return typeof posted === 'string' ? { outcome: 'undeliverable', reason: 'message_deleted' } : posted;
  }

  async #attempt(call: () => Promise<SeenMessage>): Promise<Attempt> {
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

  /**
   * Discord forgets a nonce after some minutes, and a crash may have come between post and record: so the
   * channel is looked through, back to the moment of the command, before anything new is posted.
   */
  async #findEarlier(target: ReplyTarget, signal: AbortSignal): Promise<SeenMessage | undefined> {
    const sinceMs = target.tokenExpiresAtMs - TOKEN_LIFE_MS;
    let beforeId: string | undefined;
    for (let page = 0; page < LOOK_PAGES_MAX; page++) {
      const query = { limit: LOOK_PAGE_SIZE, ...(beforeId === undefined ? {} : { beforeId }) };
      const messages = await this.#list(target.channelId, query, signal);
      const found = messages.find(
        (message) => message.authorId === this.#options.botUserId && isCardOf(target.jobId, message),
      );
      const last = messages.at(-1);
      if (found || !last || messages.length < LOOK_PAGE_SIZE || sentAtMs(last) < sinceMs) return found;
      beforeId = last.id;
    }
    return undefined;
  }

  async #list(
    channelId: string,
    page: { limit: number; beforeId?: string },
    signal: AbortSignal,
  ): Promise<SeenMessage[]> {
    try {
      return await this.#calls.listMessages(channelId, page, signal);
    } catch (error) {
      // A bot that may not read here cannot look, but may still be allowed to post; the nonce guards that.
      if (judgeRestError(error).kind === 'unreachable')
        throw withoutRequest(error, 'look for an earlier card');
      return [];
    }
  }

  #tokenLives(target: ReplyTarget): boolean {
    return this.#options.clock.now() < target.tokenExpiresAtMs - TOKEN_MARGIN_MS;
  }
}

function showsSame(seen: SeenMessage, body: MessageBody): boolean {
  return seen.title === (body.embeds[0]?.title ?? null) && seen.attachmentCount === body.attachments.length;
}

function sentAtMs(message: SeenMessage): number {
  return Number((BigInt(message.id) >> 22n) + DISCORD_EPOCH_MS);
}
