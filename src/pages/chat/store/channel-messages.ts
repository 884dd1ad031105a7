import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageMessage, PageMessages } from '../../../sandbox/page/message-views.ts';

const KEPT_MAX = 1_000;

/** What is known of a channel's messages: those in a row up to the newest. */
export interface KnownMessages {
  readonly messages: readonly PageMessage[];
  /** Whether there are older ones. */
  readonly more: boolean;
  readonly isLoaded: boolean;
}

const NOTHING: KnownMessages = { messages: [], more: false, isLoaded: false };

/** One channel's messages as one member sees them. */
export class ChannelMessages {
  readonly #known = signal<KnownMessages>(NOTHING);

  get known(): ReadonlySignal<KnownMessages> {
    return this.#known;
  }

  /** Takes the newest messages, or those before the oldest known one. */
  load({ messages, more }: PageMessages, { older }: { readonly older: boolean }): void {
    const known = this.#known.value.messages;
    const oldest = messages[0];
    // After a long absence what is known may not join what is new.
    const kept = older ? known : known.filter((message) => oldest && compare(message, oldest) < 0);
    const isJoined = older || kept.length === 0 || known.some(({ id }) => id === oldest?.id);
    const merged = merge(isJoined ? kept : [], messages);
    const keepsMore = !older && isJoined && kept.length > 0;
    this.#known.value = { messages: merged, more: keepsMore ? this.#known.value.more : more, isLoaded: true };
  }

  /** Takes one message as it is now. */
  take(message: PageMessage): void {
    const { messages, ...rest } = this.#known.value;
    const merged = merge(messages, [message]);
    this.#known.value = {
      ...rest,
      messages: merged.slice(-KEPT_MAX),
      more: rest.more || merged.length > KEPT_MAX,
    };
  }
}

/** Of two states of a message the newer one wins; deleted ones go. */
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
