import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageMessage } from '../../message-views.ts';

/** Channels in which somebody wrote what the member did not look at yet. */
export class Unread {
  readonly #channelIds = signal<ReadonlySet<string>>(new Set());
  /** When the newest message that is known of was written, by channel: changes of others are no news. */
  readonly #newestMs = new Map<string, number>();
  #sinceMs = 0;

  get channelIds(): ReadonlySignal<ReadonlySet<string>> {
    return this.#channelIds;
  }

  /** Begins anew: what was written before this time of the sandbox is no news. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#newestMs.clear();
    this.#channelIds.value = new Set();
  }

  /** Somebody wrote a message, or changed one. */
  wrote({ channel_id: id, created_at_ms: atMs, deleted }: PageMessage, isSeen: boolean): void {
    const isNew = !deleted && atMs > (this.#newestMs.get(id) ?? this.#sinceMs);
    if (!isNew) return;
    this.#newestMs.set(id, atMs);
    if (!isSeen) this.#channelIds.value = new Set([...this.#channelIds.value, id]);
  }

  /** The member looks at a channel. */
  seen(channelId: string): void {
    if (!this.#channelIds.value.has(channelId)) return;
    this.#channelIds.value = new Set([...this.#channelIds.value].filter((id) => id !== channelId));
  }
}
