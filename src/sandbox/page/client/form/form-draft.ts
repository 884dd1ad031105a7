import { type Signal, signal } from '@preact/signals';
import type { PageComponent } from '../../message-views.ts';
import type { PageForm } from '../../use-views.ts';
import { FilePicks } from '../compose/file-picks.ts';
import { chosenAtFirst } from '../menu/choices-of.ts';

const TEXT_INPUT = 4;
const FILE_UPLOAD = 19;

interface Field {
  readonly component: PageComponent;
  readonly name: string;
}

/** A form that the member is filling in. */
export class FormDraft {
  readonly texts: Signal<Readonly<Record<string, string>>>;
  readonly choices: Signal<Readonly<Record<string, readonly string[]>>>;
  readonly #fields: readonly Field[];
  readonly #files: ReadonlyMap<string, FilePicks>;

  constructor(form: PageForm, sizeBytesMax: number) {
    this.#fields = form.components.flatMap(fieldsIn);
    const of = (isOne: (type: number) => boolean): readonly Field[] =>
      this.#fields.filter(({ component }) => isOne(component.type));
    this.texts = signal(
      Object.fromEntries(
        of((type) => type === TEXT_INPUT).map(({ name, component }) => [name, component.value ?? '']),
      ),
    );
    this.choices = signal(
      Object.fromEntries(of(isSelect).map(({ name, component }) => [name, chosenAtFirst(component)])),
    );
    this.#files = new Map(
      of((type) => type === FILE_UPLOAD).map(({ name, component }) => {
        const { max_values: max = 1, file_types: types } = component;
        return [name, new FilePicks({ max, sizeBytesMax, types: types ?? [] })] as const;
      }),
    );
  }

  filesOf(name: string): FilePicks | undefined {
    return this.#files.get(name);
  }

  /** Removes the chosen files. */
  clear(): void {
    for (const picks of this.#files.values()) picks.clear();
  }

  setText(name: string, text: string): void {
    this.texts.value = { ...this.texts.value, [name]: text };
  }

  choose(name: string, values: readonly string[]): void {
    this.choices.value = { ...this.choices.value, [name]: values };
  }

  /** The reason why the form cannot be sent yet, or null. */
  get problem(): string | null {
    for (const { name, component } of this.#fields) {
      const files = this.#files.get(name);
      if (files?.problem) return files.problem;
      const isNeeded = component.required ?? true;
      if (isNeeded && files?.files.value.length === 0) return 'Please choose a file.';
      if (isNeeded && isSelect(component.type) && this.choices.value[name]?.length === 0) {
        return 'Please choose what is required.';
      }
    }
    return null;
  }

  /** The values in the form in which they are sent to the sandbox, by custom id. */
  get values(): Readonly<Record<string, unknown>> {
    const files = [...this.#files].flatMap(([name, picks]) => {
      const inputs = (picks.inputs ?? []).map((file) => ({ file }));
      return inputs.length === 0 ? [] : [[name, inputs] as const];
    });
    return { ...this.texts.value, ...this.choices.value, ...Object.fromEntries(files) };
  }
}

function isSelect(type: number): boolean {
  return type === 3 || (type >= 5 && type <= 8);
}

function fieldsIn(component: PageComponent): readonly Field[] {
  const inner = [...(component.components ?? []), ...(component.component ? [component.component] : [])];
  const own = component.custom_id === undefined ? [] : [{ component, name: component.custom_id }];
  return [...own, ...inner.flatMap(fieldsIn)];
}
