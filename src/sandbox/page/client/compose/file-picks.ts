import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageSample } from '../../use-views.ts';
import type { PageFileInput } from '../../page-wire.ts';
import { upload } from '../live/control.ts';
import { sizeText } from '../message/size-text.ts';

/** A file that the member chose. */
export interface PickedFile {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
  /** A link to the file's preview if it is a picture, otherwise null. */
  readonly preview: string | null;
  /** Null until the file has been uploaded to the sandbox. */
  readonly input: PageFileInput | null;
  /** The reason why the file cannot be used, or null. */
  readonly problem: string | null;
}

interface FilePicksOptions {
  /** The maximum number of files. Default 1. */
  readonly max?: number;
  readonly sizeBytesMax: number;
  /** Types such as `image` or extensions such as `.png`. If empty, all files are allowed. */
  readonly types?: readonly string[];
}

let lastKey = 0;

/** The files that the member chose for one purpose. Each is uploaded to the sandbox as soon as it is chosen. */
export class FilePicks {
  readonly max: number;
  readonly types: readonly string[];
  readonly #sizeBytesMax: number;
  readonly #files = signal<readonly PickedFile[]>([]);

  constructor({ max = 1, sizeBytesMax, types = [] }: FilePicksOptions) {
    this.max = max;
    this.types = types;
    this.#sizeBytesMax = sizeBytesMax;
  }

  get files(): ReadonlySignal<readonly PickedFile[]> {
    return this.#files;
  }

  /**
   * The files in the form in which they are sent to the sandbox, or undefined while an upload is running or a file
   * cannot be used.
   */
  get inputs(): readonly PageFileInput[] | undefined {
    const inputs = this.#files.value.flatMap(({ input }) => input ?? []);
    return inputs.length === this.#files.value.length ? inputs : undefined;
  }

  /** The reason why the files cannot be used yet, and what to do, or null. */
  get problem(): string | null {
    const broken = this.#files.value.find((file) => file.problem !== null);
    if (broken) return `"${broken.name}" cannot be used. Remove it first.`;
    return this.inputs ? null : 'A file is still on its way. Please try again in a moment.';
  }

  /** The `accept` attribute of a file input. */
  get accept(): string {
    return this.types.map((type) => (type.startsWith('.') ? type : `${type}/*`)).join(',');
  }

  /** Adds files from this machine. If there are too many, the last ones are kept. */
  add(files: readonly File[]): void {
    for (const file of files.slice(-this.max)) void this.#addOne(file);
  }

  /** Adds a file from the gallery. */
  addSample({ name, size, kind, url }: PageSample): void {
    const preview = kind === 'image' ? url : null;
    this.#put({ key: ++lastKey, name, sizeBytes: size, preview, input: { sample: name }, problem: null });
  }

  remove(key: number): void {
    const gone = this.#files.value.find((file) => file.key === key);
    if (gone?.preview?.startsWith('blob:')) URL.revokeObjectURL(gone.preview);
    this.#files.value = this.#files.value.filter((file) => file !== gone);
  }

  clear(): void {
    for (const { key } of this.#files.value) this.remove(key);
  }

  async #addOne(file: File): Promise<void> {
    const key = ++lastKey;
    const { name, size: sizeBytes } = file;
    const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : null;
    const problem = this.#problemOf(file);
    this.#put({ key, name, sizeBytes, preview, input: null, problem });
    if (problem !== null) return;
    try {
      const { upload_id } = await upload(file);
      this.#change(key, { input: { upload_id } });
    } catch (error) {
      this.#change(key, { problem: error instanceof Error ? error.message : 'It did not arrive' });
    }
  }

  #problemOf({ name, type, size }: File): string | null {
    const isOfType = (wanted: string): boolean =>
      wanted.startsWith('.') ? name.toLowerCase().endsWith(wanted) : type.startsWith(`${wanted}/`);
    if (size === 0) return 'The file is empty';
    if (size > this.#sizeBytesMax) return `Too large: at most ${sizeText(this.#sizeBytesMax)} here`;
    const isWanted = this.types.length === 0 || this.types.some(isOfType);
    return isWanted ? null : `This takes another kind of file: ${this.types.join(', ')}`;
  }

  #put(file: PickedFile): void {
    const surplus = this.#files.value.slice(0, Math.max(0, this.#files.value.length + 1 - this.max));
    for (const { key } of surplus) this.remove(key);
    this.#files.value = [...this.#files.value, file];
  }

  #change(key: number, change: Partial<PickedFile>): void {
    this.#files.value = this.#files.value.map((file) => (file.key === key ? { ...file, ...change } : file));
  }
}
