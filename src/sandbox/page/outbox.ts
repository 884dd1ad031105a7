/** What waits to be sent to one page, by what it is about: of each thing only that it changed. */
export interface Waiting<M, U> {
  readonly messages: readonly M[];
  readonly uses: readonly U[];
  readonly guildIds: readonly string[];
  /** `channel:user` of whom it is to be told whether they speak, or that they type. */
  readonly speaking: readonly string[];
  readonly typing: readonly string[];
  readonly bot: boolean;
  readonly faults: boolean;
  readonly directMessages: boolean;
  /** Whether some messages or uses are not among them. */
  readonly resync: boolean;
}

const MESSAGES_MAX = 500;
const USES_MAX = 200;
const NOTICES_MAX = 200;

/**
 * Collects what changed until the page can take it. What changes twice meanwhile is sent once, as it is then; beyond 500
 * messages or 200 uses the page is told to load anew instead.
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

  /** Hands out everything and begins anew. */
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
