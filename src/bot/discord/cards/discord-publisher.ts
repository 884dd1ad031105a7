import { stat } from 'node:fs/promises';
import type { RawFile } from 'discord.js';
import { withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { FinalCard, PriceCard, ProgressCard, ResultCard } from '../../jobs/cards.ts';
import { CardDelivery, type CardDeliveryOptions } from './card-delivery.ts';
import { CardLane } from './card-lane.ts';
import { failureBody, heldBackBody, priceBody, progressBody, resultBody } from '../words/replies/cards.ts';
import { rawFile } from '../interactions/raw-file.ts';
import { judgeRestError, withoutRequest } from '../wire/rest-verdict.ts';
import type {
  AskOptions,
  JobPublisher,
  Outdated,
  PostedMessage,
  Published,
} from '../../jobs/job-publisher.ts';
import type { ReplyTarget } from '../../jobs/reply-target.ts';

interface PublisherOptions extends CardDeliveryOptions {
  readonly log: Logger;
}

const PROGRESS_INTERVAL_MS = 5_000;
const PROGRESS_DEADLINE_MS = 10_000;
const ASK_DEADLINE_MS = 30_000;
const PUBLISH_DEADLINE_MS = 120_000;
/**
 * Discord limits edits of messages older than an hour. Progress stops before that, because the last edit is reserved
 * for the final card.
 */
const PROGRESS_AGE_MS_MAX = 55 * 60_000;
/** Discord's documented limit for one request, even where larger files are allowed. */
const REQUEST_BYTES_MAX = 25 * 1024 * 1024;
const REMOVE_DEADLINE_MS = 15_000;
const LANES_MAX = 2_000;
/** The reasons for which a server's filters reject a result. A card without the result may still be posted. */
const FILTERED: ReadonlySet<string> = new Set(['explicit_content', 'blocked_by_automod']);

/** Publishes job cards in Discord. After it is disposed, no more progress is sent. */
export class DiscordPublisher implements JobPublisher, AsyncDisposable {
  readonly #options: PublisherOptions;
  readonly #delivery: CardDelivery;
  readonly #lanes = new Map<string, CardLane>();
  readonly #shown = new WeakMap<CardLane, string>();
  readonly #stopping = new AbortController();

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#delivery = new CardDelivery(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The publisher stops'));
    await Promise.all([...this.#lanes.values()].map((lane) => lane[Symbol.asyncDispose]()));
  }

  showProgress(target: ReplyTarget, progress: ProgressCard, isTrue?: () => Promise<boolean>): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#options.clock.now() - progress.acceptedAtMs > PROGRESS_AGE_MS_MAX) return;
    if (this.#options.guard?.allows('progress') === false) return;
    const lane = this.#laneOf(target.jobId);
    lane?.offer(() => this.#sendProgress(lane, target, progress, isTrue));
  }

  ask(target: ReplyTarget, card: PriceCard, { isTrue, signal }: AskOptions): Promise<Published | Outdated> {
    const { clock } = this.#options;
    const body = priceBody(target, card);
    const lane = this.#laneOf(target.jobId) ?? new CardLane(clock, PROGRESS_INTERVAL_MS);
    return lane.interpose(async () => {
      if (!(await isTrue())) return { outcome: 'outdated' };
      // The card now shows a price, so the next progress update must be sent even if it equals the last one.
      this.#shown.set(lane, JSON.stringify(body));
      const put = (inTime: AbortSignal): Promise<Published> =>
        this.#delivery.put(target, { body, files: [] }, inTime);
      return withDeadline(clock, ASK_DEADLINE_MS, put, signal);
    });
  }

  publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published> {
    const { clock } = this.#options;
    // If there are too many lanes, this job has no lane for progress either, so its final card can use a new lane.
    const lane = this.#laneOf(target.jobId) ?? new CardLane(clock, PROGRESS_INTERVAL_MS);
    return lane.final(() =>
      withDeadline(clock, PUBLISH_DEADLINE_MS, (combined) => this.#publish(target, card, combined), signal),
    );
  }

  async remove(message: PostedMessage, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    return withDeadline(
      clock,
      REMOVE_DEADLINE_MS,
      (inTime) => this.#delivery.remove(message, inTime),
      signal,
    );
  }

  /** Returns the job's lane, and marks it as the most recently used, or returns `undefined` if all lanes are busy. */
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

  async #sendProgress(
    lane: CardLane,
    target: ReplyTarget,
    progress: ProgressCard,
    isTrue: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> {
    const body = progressBody(target, progress);
    const text = JSON.stringify(body);
    if (this.#shown.get(lane) === text) return;
    try {
      if (!(await isTrue())) return;
      await withDeadline(
        this.#options.clock,
        PROGRESS_DEADLINE_MS,
        (signal) => this.#delivery.edit(target, { body, files: [] }, signal),
        this.#stopping.signal,
      );
      this.#shown.set(lane, text);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      // Every further attempt would be refused as well, and Discord blocks bots that cause too many refusals.
      if (judgeRestError(error).kind !== 'unreachable') lane.seal();
      const fields = { jobId: target.jobId, error: withoutRequest(error, 'show progress') };
      this.#options.log.warn(fields, 'Cannot show progress');
    }
  }

  async #publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published> {
    if (card.kind === 'failure') {
      return this.#delivery.put(target, { body: failureBody(target, card), files: [] }, signal);
    }
    const file = await this.#readFile(target, card);
    const shown = file ? card : { ...card, file: null };
    const message = { body: resultBody(target, shown), files: file ? [file] : [] };
    const published = await this.#delivery.put(target, message, signal);
    if (published.outcome === 'posted') return published;
    // Without the file, a card can still be posted. Otherwise the member's card would keep showing "in progress".
    if (published.reason === 'too_large' && file) {
      const body = resultBody(target, { ...card, file: null });
      return this.#delivery.put(target, { body, files: [] }, signal);
    }
    if (FILTERED.has(published.reason)) {
      await this.#delivery.put(target, { body: heldBackBody(target, card), files: [] }, signal);
    }
    return published;
  }

  async #readFile(target: ReplyTarget, { file }: ResultCard): Promise<RawFile | undefined> {
    if (file === null) return undefined;
    const { size } = await stat(file.path);
    if (size > Math.min(REQUEST_BYTES_MAX, target.attachmentSizeLimitBytes)) return undefined;
    return rawFile(file);
  }
}
