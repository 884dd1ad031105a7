import type { Attachment } from './attachment.ts';

const OPTION_FILES_MAX = 1000;

/**
 * The files that the CDN serves, by path. A message's files stay until they are deleted with `delete`. Only the last
 * 1,000 files from commands and forms are kept.
 */
export class FileStore {
  readonly #files = new Map<string, Attachment>();
  readonly #optionPaths: string[] = [];

  get(path: string): Attachment | undefined {
    return this.#files.get(path);
  }

  keep(file: Attachment): void {
    this.#files.set(file.path, file);
    if (!file.path.startsWith('/ephemeral-attachments/')) return;
    this.#optionPaths.push(file.path);
    if (this.#optionPaths.length > OPTION_FILES_MAX) this.#files.delete(this.#optionPaths.shift() ?? '');
  }

  delete(path: string): void {
    this.#files.delete(path);
  }
}
