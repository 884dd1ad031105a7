/** The changes that are waiting to be sent to one page: the items that have changed, without their new states. */
export interface Waiting<M, U> {
  readonly messages: readonly M[];
  readonly uses: readonly U[];
  readonly guildIds: readonly string[];
  /** `<channel id>:<user id>` of users who started or stopped speaking; in `typing`, of users who started typing. */
  readonly speaking: readonly string[];
  readonly typing: readonly string[];
  readonly bot: boolean;
  readonly faults: boolean;
  readonly directMessages: boolean;
  /** Whether messages or uses were dropped because there were too many. */
  readonly resync: boolean;
}

const MESSAGES_MAX = 500;
const USES_MAX = 200;
const NOTICES_MAX = 200;

/**
 * Collects changes until the page can receive them. An item that changes twice in the meantime is sent once, in its
 * newest state. Beyond 500 messages or 200 uses, the page must load everything again instead.
 */
export class Outbox<M, U> {
  readonly #messages = new Set<M>();
  readonly #uses = new Set<U>();
  readonly #guildIds = new Set<string>();
  readonly #speaking = new Set<string>();
  readonly #typing = new Set<string>();
  #bot = false;
  #faults = false;
  #directMessages = false;
  #resync = false;

  message(message: M): void {
    this.#add(this.#messages, message, MESSAGES_MAX);
  }

  use(use: U): void {
    this.#add(this.#uses, use, USES_MAX);
  }

  guild(id: string): void {
    this.#guildIds.add(id);
  }

  speaking(channelId: string, userId: string): void {
    if (this.#speaking.size < NOTICES_MAX) this.#speaking.add(`${channelId}:${userId}`);
  }

  typing(channelId: string, userId: string): void {
    if (this.#typing.size < NOTICES_MAX) this.#typing.add(`${channelId}:${userId}`);
  }

  bot(): void {
    this.#bot = true;
  }

  faults(): void {
    this.#faults = true;
  }

  directMessages(): void {
    this.#directMessages = true;
  }

  /** Returns everything that is waiting, and clears it. */
  take(): Waiting<M, U> {
    const waiting = {
      messages: [...this.#messages],
      uses: [...this.#uses],
      guildIds: [...this.#guildIds],
      speaking: [...this.#speaking],
      typing: [...this.#typing],
      bot: this.#bot,
      faults: this.#faults,
      directMessages: this.#directMessages,
      resync: this.#resync,
    };
    this.clear();
    return waiting;
  }

  clear(): void {
    for (const set of [this.#messages, this.#uses, this.#guildIds, this.#speaking, this.#typing]) set.clear();
    this.#bot = false;
    this.#faults = false;
    this.#directMessages = false;
    this.#resync = false;
  }

  #add<T>(set: Set<T>, value: T, most: number): void {
    if (this.#resync) return;
    set.add(value);
    if (set.size <= most) return;
    this.#messages.clear();
    this.#uses.clear();
    this.#resync = true;
  }
}
