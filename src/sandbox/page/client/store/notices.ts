import { type ReadonlySignal, signal } from '@preact/signals';

const SHOWN_MS = 8_000;
const SHOWN_MAX = 3;

interface Notice {
  readonly id: number;
  readonly text: string;
}

/** Short notices about failed actions. They disappear by themselves. */
export class Notices {
  readonly #shown = signal<readonly Notice[]>([]);
  #lastId = 0;

  get shown(): ReadonlySignal<readonly Notice[]> {
    return this.#shown;
  }

  show(text: string): void {
    const id = ++this.#lastId;
    this.#shown.value = [...this.#shown.value, { id, text }].slice(-SHOWN_MAX);
    setTimeout(() => this.dismiss(id), SHOWN_MS);
  }

  dismiss(id: number): void {
    this.#shown.value = this.#shown.value.filter((notice) => notice.id !== id);
  }
}
