import { copyFile, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../../db/database.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { ConsentStore } from '../../../../src/bot/people/members/consent-store.ts';
import { FaceBin } from '../../../../src/bot/people/members/face-bin.ts';
import { FaceFiles } from '../../../../src/bot/people/members/face-files.ts';
import { FaceStore } from '../../../../src/bot/people/members/face-store.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import type { SavedFace } from '../../../../src/bot/people/members/saved-face.ts';

export interface FacesBench {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly files: FaceFiles;
  readonly faces: FaceStore;
  readonly bin: FaceBin;
  readonly consents: ConsentStore;
  /** The links that were fetched, and the owners whose pictures were cleaned. */
  readonly fetched: readonly string[];
  readonly cleaned: readonly string[];
  /** Errors for the next pictures, or work to do while they are fetched. */
  readonly trouble: { fetch?: Error; clean?: Error; whileFetching?: () => Promise<unknown> };
  readonly begin: (
    userId: string,
    name: string,
    url?: string,
    sizeBytes?: number,
  ) => ReturnType<FaceStore['begin']>;
  /** Sends a picture as the member, who confirms at once that they may use it. */
  readonly save: (userId: string, name: string) => Promise<SavedFace>;
  readonly names: (userId: string) => Promise<readonly string[]>;
  /** Returns the names of the stored files. */
  readonly stored: () => Promise<readonly string[]>;
}

/**
 * Creates a store of saved faces without a chat. Each picture is a file that contains the link from which it was
 * fetched.
 */
export async function useFaces(): Promise<FacesBench> {
  const db = await useDatabase();
  const clock = new FakeClock();
  const folder = await useFolder();
  const files = await FaceFiles.open(folder);
  const fetched: string[] = [];
  const cleaned: string[] = [];
  const trouble: FacesBench['trouble'] = {};
  const faces = new FaceStore({
    db,
    clock,
    files,
    fetcher: {
      async fetch({ url, toPath, sizeBytesMax }) {
        if (sizeBytesMax !== 10 * 1024 * 1024) throw new TypeError('Faces have up to ten megabytes');
        fetched.push(url);
        await trouble.whileFetching?.();
        if (trouble.fetch) throw trouble.fetch;
        await writeFile(toPath, url);
      },
    },
    pictures: {
      async cleanFace(path, toPath, _signal, owner = '') {
        cleaned.push(owner);
        if (trouble.clean) throw trouble.clean;
        await copyFile(path, toPath);
        await rm(path);
        return (await stat(toPath)).size;
      },
      async previewFace(path) {
        return readFile(path);
      },
    },
  });
  const begin: FacesBench['begin'] = (userId, name, url = `https://cdn.example/${name}`, sizeBytes = 1) =>
    faces.begin(userId, { name, url, sizeBytes });
  return {
    db,
    clock,
    files,
    faces,
    fetched,
    cleaned,
    trouble,
    bin: new FaceBin({ db, files, clock }),
    consents: new ConsentStore({ db, clock }),
    begin,
    save: async (userId, name) => faces.attest(userId, (await begin(userId, name)).faceId),
    names: async (userId) => (await faces.list(userId)).map(({ name }) => name),
    stored: async () => (await readdir(join(folder, 'faces'))).toSorted(),
  };
}
