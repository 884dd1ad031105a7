import { contentTypeByName } from '../chat/attachment.ts';
import type { FileInput } from '../script/resolved-data.ts';

const DEPTH_MAX = 6;

/** Functions that open the files that a request refers to. Both throw if there is no such file. */
interface FileSources {
  readonly upload: (id: string) => FileInput;
  readonly sample: (name: string) => FileInput;
}

/** A file that a request referred to, already loaded. */
export class ChosenFile implements FileInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;

  constructor({ name, bytes }: FileInput) {
    this.name = name;
    this.bytes = bytes;
    this.contentType = contentTypeByName(name);
  }
}

/** Replaces `{upload_id}` and `{sample}` anywhere in a parsed JSON body with the files that they refer to. */
export function openFiles(body: unknown, sources: FileSources, depth = 0): unknown {
  if (typeof body !== 'object' || body === null || depth > DEPTH_MAX) return body;
  if (Array.isArray(body)) return body.map((inner) => openFiles(inner, sources, depth + 1));
  const entries = Object.entries(body);
  const [[key, value] = ['', undefined]] = entries;
  if (entries.length === 1 && typeof value === 'string') {
    if (key === 'upload_id') return new ChosenFile(sources.upload(value));
    if (key === 'sample' && depth > 0) return new ChosenFile(sources.sample(value));
  }
  return Object.fromEntries(entries.map(([name, inner]) => [name, openFiles(inner, sources, depth + 1)]));
}
