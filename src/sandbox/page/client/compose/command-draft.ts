import { type Signal, signal } from '@preact/signals';
import type { PageCommandOption } from '../../use-views.ts';
import type { CommandLine } from './command-line.ts';
import { FilePicks } from './file-picks.ts';

const FILE = 11;
const REFERENCES: ReadonlySet<number> = new Set([6, 7, 8, 9]);
const NUMBERS: ReadonlySet<number> = new Set([4, 10]);
const BOOLEAN = 5;

/** A command whose options the member is filling in. */
export class CommandDraft {
  readonly line: CommandLine;
  /** The values as text, by option: typed text, the id of a member, channel or role, or `true` or `false`. */
  readonly texts: Signal<Readonly<Record<string, string>>> = signal({});
  /** The names of the options whose fields are shown. */
  readonly opened: Signal<readonly string[]>;
  readonly #files: ReadonlyMap<string, FilePicks>;
  /** The values of the suggestions that were chosen, by option. */
  readonly #taken = new Map<string, string | number>();

  constructor(line: CommandLine, sizeBytesMax: number) {
    this.line = line;
    // File fields are shown from the start: most commands need files, and a new user would not look for the fields
    // behind a button.
    const isOpen = ({ required, type }: PageCommandOption): boolean => required || type === FILE;
    this.opened = signal(line.options.filter(isOpen).map(({ name }) => name));
    this.#files = new Map(
      line.options
        .filter(({ type }) => type === FILE)
        .map(({ name, file_types: types }) => [name, new FilePicks({ sizeBytesMax, types })] as const),
    );
  }

  filesOf(name: string): FilePicks | undefined {
    return this.#files.get(name);
  }

  /** The first shown file field that is still empty. */
  get emptyFile(): FilePicks | undefined {
    const open = this.opened.value.flatMap((name) => this.#files.get(name) ?? []);
    return open.find(({ files }) => files.value.length === 0);
  }

  /** Sets an option's text. If the member chose a suggestion, `value` is the suggestion's value. */
  set(name: string, text: string, value?: string | number): void {
    if (value === undefined) this.#taken.delete(name);
    else this.#taken.set(name, value);
    this.texts.value = { ...this.texts.value, [name]: text };
  }

  /** Removes the chosen files. */
  clear(): void {
    for (const picks of this.#files.values()) picks.clear();
  }

  open(name: string): void {
    this.opened.value = [...this.opened.value.filter((other) => other !== name), name];
  }

  shut(name: string): void {
    this.set(name, '');
    this.#files.get(name)?.clear();
    this.opened.value = this.opened.value.filter((other) => other !== name);
  }

  /** The reason why the command cannot be sent yet, or null. */
  get problem(): string | null {
    for (const option of this.line.options) {
      const files = this.#files.get(option.name);
      const isGiven = files ? files.files.value.length > 0 : (this.texts.value[option.name] ?? '') !== '';
      if (option.required && !isGiven) return `${option.name} is required`;
      if (files?.problem) return `${option.name}: ${files.problem}`;
      if (isGiven && NUMBERS.has(option.type) && Number.isNaN(this.#valueOf(option))) {
        return `${option.name} must be a number`;
      }
    }
    return null;
  }

  /** The options in the form in which they are sent to the sandbox. */
  get options(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.line.options.flatMap((option) => {
        const value = this.#valueOf(option);
        return value === undefined ? [] : [[option.name, value] as const];
      }),
    );
  }

  #valueOf({ name, type }: PageCommandOption): unknown {
    const files = this.#files.get(name);
    const [file] = files?.inputs ?? [];
    if (files) return file && { file };
    const text = this.texts.value[name] ?? '';
    if (text === '') return undefined;
    const taken = this.#taken.get(name);
    if (taken !== undefined) return taken;
    if (type === BOOLEAN) return text === 'true';
    if (REFERENCES.has(type)) return { id: text };
    return NUMBERS.has(type) ? Number(text) : text;
  }
}
