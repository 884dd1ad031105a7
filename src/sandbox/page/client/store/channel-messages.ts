import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageMessage, PageMessages } from '../../message-views.ts';

const KEPT_MAX = 1_000;

/** The loaded messages of a channel: a gapless series up to the newest. */
interface KnownMessages {
  readonly messages: readonly PageMessage[];
  /** Whether there are older messages that are not loaded. */
  readonly more: boolean;
  readonly isLoaded: boolean;
}

const NOTHING: KnownMessages = { messages: [], more: false, isLoaded: false };

/** One channel's messages as one member sees them. */
export class ChannelMessages {
  readonly #known = signal<KnownMessages>(NOTHING);
  /** Messages that arrived while a request was under way. The request's response may contain older states of them. */
  readonly #meanwhile = new Map<string, PageMessage>();
  #loads = 0;

  get known(): ReadonlySignal<KnownMessages> {
    return this.#known;
  }

  /**
   * Adds the messages that `asked` returns: the newest ones or, if `older`, those before the oldest loaded message. If
   * `asked` returns undefined, nothing changes.
   */
  async load(
    asked: () => Promise<PageMessages | undefined>,
    { older }: { readonly older: boolean },
  ): Promise<void> {
    this.#loads += 1;
    try {
      const came = await asked();
      if (came) this.#join(came, older);
    } finally {
      this.#loads -= 1;
      if (this.#loads === 0) this.#meanwhile.clear();
    }
  }

  /** Updates one message to its current state. */
  take(message: PageMessage): void {
    if (this.#loads > 0) this.#meanwhile.set(message.id, message);
    const { messages, ...rest } = this.#known.value;
    if (!joins(messages, rest.more, message)) return;
    const merged = merge(messages, [message]);
    this.#known.value = {
      ...rest,
      messages: merged.slice(-KEPT_MAX),
      more: rest.more || merged.length > KEPT_MAX,
    };
  }

  #join({ messages, more }: PageMessages, older: boolean): void {
    const known = this.#known.value.messages;
    const oldest = messages[0];
    // After a long time offline there may be a gap between the loaded messages and the new ones.
    const kept = older ? known : known.filter((message) => oldest && compare(message, oldest) < 0);
    const isJoined = older || kept.length === 0 || known.some(({ id }) => id === oldest?.id);
    const merged = merge(isJoined ? kept : [], messages);
    const keepsMore = !older && isJoined && kept.length > 0;
    const isMore = keepsMore ? this.#known.value.more : more;
    const since = [...this.#meanwhile.values()].filter((message) => joins(merged, isMore, message));
    this.#known.value = { messages: merge(merged, since), more: isMore, isLoaded: true };
  }
}

/** Whether a message belongs to the gapless series. A changed message from before the series does not. */
function joins(row: readonly PageMessage[], more: boolean, message: PageMessage): boolean {
  const [oldest] = row;
  return !more || !oldest || compare(message, oldest) >= 0;
}

/** Merges two lists: the newer state of a message wins, and deleted messages are removed. */
function merge(known: readonly PageMessage[], came: readonly PageMessage[]): readonly PageMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of came) {
    const before = byId.get(message.id);
    if (!before || before.version <= message.version) byId.set(message.id, message);
  }
  return [...byId.values()].filter(({ deleted }) => !deleted).toSorted(compare);
}

function compare(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id.length - b.id.length || (a.id < b.id ? -1 : Number(a.id > b.id));
}
