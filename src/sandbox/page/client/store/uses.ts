import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageUse } from '../../use-views.ts';

const KEPT_MAX = 200;

/** The member's uses of the bot: pending ones, failed ones, and the open form. */
export class Uses {
  readonly #known = signal<readonly PageUse[]>([]);
  readonly #form = signal<PageUse | null>(null);

  /** The uses, the most recently changed one last. */
  get known(): ReadonlySignal<readonly PageUse[]> {
    return this.#known;
  }

  /** The use whose form is open, or null. */
  get form(): ReadonlySignal<PageUse | null> {
    return this.#form;
  }

  /** Replaces all uses, for example with those of another member. */
  begin(uses: readonly PageUse[]): void {
    this.#known.value = uses;
    const open = this.#form.value;
    if (open && !uses.some(({ id }) => id === open.id)) this.#form.value = null;
  }

  /** Updates a use to its current state. If the use opened a form, the form is shown at once. */
  take(use: PageUse): void {
    const before = this.#known.value.find(({ id }) => id === use.id);
    const others = this.#known.value.filter(({ id }) => id !== use.id);
    this.#known.value = [...others, use].slice(-KEPT_MAX);
    if (use.form && !before?.form) this.#form.value = use;
  }

  /** Closes the form of a use, if it is still open. */
  closeForm(id: string): void {
    if (this.#form.value?.id === id) this.#form.value = null;
  }

  /** Removes the notice that a use failed. */
  forget(id: string): void {
    this.#known.value = this.#known.value.filter((use) => use.id !== id);
  }
}
