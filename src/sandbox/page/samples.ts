import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contentTypeByName } from '../chat/attachment.ts';
import type { FileInput } from '../script/resolved-data.ts';
import type { PageSample, PageSamples } from './use-views.ts';

const NAME = /^[a-z0-9][a-z0-9-]{0,80}\.(?:jpg|png|mp4|wav)$/;
const FILES_MAX = 100;
const FILE_BYTES_MAX = 10 * 1024 * 1024;
const NOTE =
  'None of the people shown exist: pictures, clips and voices are computed by the project and free to use (CC0).';
const NONE = 'There is no sample media beside this program. Use files of your own instead.';

/** The sample media of a folder, read once. */
export class Samples {
  readonly #files: ReadonlyMap<string, FileInput>;

  private constructor(files: ReadonlyMap<string, FileInput>) {
    this.#files = files;
  }

  /** Reads the samples of a folder. There are no samples if `folder` is undefined or does not exist. */
  static async read(folder: string | undefined): Promise<Samples> {
    const files = new Map<string, FileInput>();
    const entries = folder === undefined ? [] : await readdir(folder).catch((): string[] => []);
    for (const name of entries
      .filter((entry) => NAME.test(entry))
      .toSorted()
      .slice(0, FILES_MAX)) {
      const bytes = await readFile(join(folder ?? '', name));
      if (bytes.byteLength <= FILE_BYTES_MAX) files.set(name, { name, bytes });
    }
    return new Samples(files);
  }

  /** The samples as the gallery shows them. Samples whose names begin with `bad-` come last. */
  get view(): PageSamples {
    const samples = [...this.#files.values()].map(sampleView);
    const isBad = ({ name }: PageSample): number => (name.startsWith('bad-') ? 1 : 0);
    return {
      samples: samples.toSorted((a, b) => isBad(a) - isBad(b)),
      note: samples.length === 0 ? NONE : NOTE,
    };
  }

  /** Returns a sample. Throws if there is no such sample. */
  open(name: string): FileInput {
    const file = this.#files.get(name);
    if (!file) throw new Error('Cannot find the sample: there is none with this name');
    return file;
  }
}

function sampleView({ name, bytes }: FileInput): PageSample {
  const type = contentTypeByName(name);
  const [kind] = type.split('/', 1);
  const words = name.replace(/\.\w+$/, '').replaceAll('-', ' ');
  return {
    name,
    kind: kind === 'video' || kind === 'audio' ? kind : 'image',
    content_type: type,
    size: bytes.byteLength,
    url: `/control/samples/${name}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    speakable: name.endsWith('.wav'),
  };
}
