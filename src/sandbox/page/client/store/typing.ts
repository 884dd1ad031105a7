import { type ReadonlySignal, signal } from '@preact/signals';

const TYPING_MS = 10_000;

interface Typist {
  readonly channelId: string;
  readonly userId: string;
  readonly since: number;
}

/** The users who are typing, by channel. */
export class Typing {
  readonly #typists = signal<readonly Typist[]>([]);
  #count = 0;

  get typists(): ReadonlySignal<readonly Typist[]> {
    return this.#typists;
  }

  began(channelId: string, userId: string): void {
    const since = ++this.#count;
    this.ended(channelId, userId);
    this.#typists.value = [...this.#typists.value, { channelId, userId, since }];
    setTimeout(() => {
      this.#typists.value = this.#typists.value.filter((typist) => typist.since !== since);
    }, TYPING_MS);
  }

  ended(channelId: string, userId: string): void {
    this.#typists.value = this.#typists.value.filter(
      (typist) => typist.channelId !== channelId || typist.userId !== userId,
    );
  }
}
