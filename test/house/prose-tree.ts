import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Offence, offencesIn, passagesOfDocument, passagesOfSource } from './prose.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = ['src', 'commands', 'db', 'test'];

/** Returns the Markdown documents in the repository's root, and every page in `docs/`. */
export async function listDocuments(): Promise<readonly string[]> {
  const inRoot = (await readdir(ROOT)).filter((name) => name.endsWith('.md'));
  const inDocs = (await readdir(join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return [...inRoot, ...inDocs].toSorted();
}

/** Returns all offences in the repository, grouped by the room or document that they are in. */
export async function proseOffences(): Promise<ReadonlyMap<string, readonly Offence[]>> {
  const found = new Map<string, Offence[]>();
  for (const path of [...(await listSources()), ...(await listDocuments())]) {
    const text = await readFile(join(ROOT, path), 'utf8');
    const passages = path.endsWith('.md') ? passagesOfDocument(text) : passagesOfSource(path, text);
    const offences = passages.flatMap(offencesIn).map((one) => ({ ...one, found: `${path}: ${one.found}` }));
    if (offences.length > 0) found.set(roomOf(path), [...(found.get(roomOf(path)) ?? []), ...offences]);
  }
  return found;
}

async function listSources(): Promise<readonly string[]> {
  const lists = await Promise.all(
    SOURCES.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  return lists
    .flat()
    .filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.includes('/built'))
    .filter((path) => !path.startsWith('src/media-server/engine/kernels/assembly'))
    .toSorted();
}

/** Top-level folders that are large enough for each of their rooms to count separately. */
const BUILDINGS: ReadonlySet<string> = new Set(['bot', 'media-server', 'sandbox']);

/** Returns the room of a file, such as `src/bot/jobs` or `db/queries`. A document is its own room. */
function roomOf(path: string): string {
  if (path.endsWith('.md')) return path;
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, BUILDINGS.has(folders[1] ?? '') ? 3 : 2).join('/');
}
