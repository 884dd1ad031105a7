import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageMessage } from '../../message-views.ts';

/** The channels with messages that the member has not seen yet. */
export class Unread {
  readonly #channelIds = signal<ReadonlySet<string>>(new Set());
  /**
   * When the newest known message of each channel was written. A change to an older message does not make its channel
   * unread.
   */
  readonly #newestMs = new Map<string, number>();
  #sinceMs = 0;

  get channelIds(): ReadonlySignal<ReadonlySet<string>> {
    return this.#channelIds;
  }

  /** Forgets all channels. Messages written before `nowMs`, on the sandbox's clock, do not count as unread. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#newestMs.clear();
    this.#channelIds.value = new Set();
  }

  /** Handles a new or changed message. */
  wrote({ channel_id: id, created_at_ms: atMs, deleted }: PageMessage, isSeen: boolean): void {
    const isNew = !deleted && atMs > (this.#newestMs.get(id) ?? this.#sinceMs);
    if (!isNew) return;
    this.#newestMs.set(id, atMs);
    if (!isSeen) this.#channelIds.value = new Set([...this.#channelIds.value, id]);
  }

  /** Marks a channel as seen. */
  seen(channelId: string): void {
    if (!this.#channelIds.value.has(channelId)) return;
    this.#channelIds.value = new Set([...this.#channelIds.value].filter((id) => id !== channelId));
  }
}
