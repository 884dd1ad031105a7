import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageUse } from '../../use-views.ts';

const KEPT_MAX = 200;

/** The member's uses of the bot: which wait, which failed, and the form that is to be filled in. */
export class Uses {
  readonly #known = signal<readonly PageUse[]>([]);
  readonly #form = signal<PageUse | null>(null);

  /** Oldest first. */
  get known(): ReadonlySignal<readonly PageUse[]> {
    return this.#known;
  }

  /** The use whose form is open. */
  get form(): ReadonlySignal<PageUse | null> {
    return this.#form;
  }

  /** Begins anew, as somebody. */
  begin(uses: readonly PageUse[]): void {
    this.#known.value = uses;
    const open = this.#form.value;
    if (open && !uses.some(({ id }) => id === open.id)) this.#form.value = null;
  }

  /** Takes a use as it is now. A form that it opened is shown at once. */
  take(use: PageUse): void {
    const before = this.#known.value.find(({ id }) => id === use.id);
    const others = this.#known.value.filter(({ id }) => id !== use.id);
    this.#known.value = [...others, use].slice(-KEPT_MAX);
    if (use.form && !before?.form) this.#form.value = use;
  }

  /** Closes the form of a use, if it is still the one that is open. */
  closeForm(id: string): void {
    if (this.#form.value?.id === id) this.#form.value = null;
  }

  /** Takes away the word that a use failed. */
  forget(id: string): void {
    this.#known.value = this.#known.value.filter((use) => use.id !== id);
  }
}
