import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SourceFile, readSources } from '../house/source-graph.ts';

const HOUSE = 'src/media-server/';

/** A file's room is its folder; a file at the top is one by itself. */
function roomOf(path: string): string {
  return path.slice(HOUSE.length).split('/', 1)[0] ?? '';
}

/** The rooms that each room leads to, itself left out. */
function doors(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = roomOf(path);
    const targets = imports.filter(({ to }) => to.startsWith(HOUSE)).map(({ to }) => roomOf(to));
    rooms.set(from, new Set([...(rooms.get(from) ?? []), ...targets.filter((to) => to !== from)]));
  }
  return rooms;
}

/** Takes away, again and again, the rooms that need no other one; who is left goes round in a circle. */
function roomsInACircle(files: readonly SourceFile[]): readonly string[] {
  const left = new Map(doors(files));
  for (;;) {
    const free = [...left].filter(([, needs]) => ![...needs].some((room) => left.has(room)));
    if (free.length === 0) return [...left.keys()];
    for (const [room] of free) left.delete(room);
  }
}

test('no room of the media server needs, by any way round, a room that needs it', async () => {
  const files = await readSources(join(import.meta.dirname, '..', '..'), ['src/media-server']);
  expect(doors(files).get('http')).toContain('jobs');
  expect(roomsInACircle(files)).toEqual([]);
});
