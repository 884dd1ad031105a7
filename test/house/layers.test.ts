import { describe, expect, test } from 'vitest';
import { HOUSE, type Room } from './house.ts';
import { type Edge, type SourceFile, readSource, readSources } from './source-graph.ts';

const READ_ENVIRONMENT: readonly string[] = ['src/env.ts', 'src/launch.mjs', 'src/base/child-environment.ts'];
const REEXPORT: readonly string[] = ['src/index.ts'];
/** Loading undici changes what other libraries use; this file sees to that it does not. */
const IMPORT_UNDICI: readonly string[] = ['src/base/http-client.ts'];

function roomOf(house: readonly Room[], path: string): Room | undefined {
  return house.find(({ paths }) =>
    paths.some((own) => (own.endsWith('/') ? path.startsWith(own) : path === own)),
  );
}

function isAllowed(house: readonly Room[], from: Room, { to, how }: Edge): boolean {
  const target = roomOf(house, to);
  if (!target) return false;
  if (target === from) return true;
  const names = [target.name, to];
  const open = [
    ...from.imports,
    ...(how === 'type' ? (from.asTypes ?? []) : []),
    ...(how === 'dynamic' || how === 'type' ? (from.dynamically ?? []) : []),
  ];
  return names.some((name) => open.includes(name));
}

function forbiddenEdges(house: readonly Room[], files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, imports }) => {
    const from = roomOf(house, path);
    if (!from) return [`${path} belongs to no room`];
    return imports
      .filter((edge) => edge.to !== 'package.json' && !isAllowed(house, from, edge))
      .map(({ to, how }) => `${path} -> ${to} (${how})`);
  });
}

/** What rooms are allowed and do not use, or use in a lesser way: a table that allows more than there is tells little. */
function idleAllowances(house: readonly Room[], files: readonly SourceFile[]): readonly string[] {
  return house.flatMap((from) => {
    const edges = files
      .filter(({ path }) => roomOf(house, path) === from)
      .flatMap(({ imports }) => imports)
      .filter(({ to }) => roomOf(house, to) !== from);
    const idle = (names: readonly string[] | undefined, how: Edge['how']): readonly string[] =>
      (names ?? [])
        .filter(
          (name) =>
            !edges.some((edge) => edge.how === how && [roomOf(house, edge.to)?.name, edge.to].includes(name)),
        )
        .map((name) => `${from.name} -> ${name} (${how})`);
    return [
      ...idle(from.imports, 'value'),
      ...idle(from.asTypes, 'type'),
      ...idle(from.dynamically, 'dynamic'),
    ];
  });
}

/** Each cycle once, as the way round it. Types count: a cycle of types is a cycle of meaning. */
function cycles(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const { to } of byPath.get(path)?.imports ?? []) walk(to, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
  return found;
}

describe('the repository', async () => {
  const files = await readSources(new URL('../../', import.meta.url).pathname, ['src', 'commands', 'db']);

  test('has its files where the test looks', () => {
    expect(files.map(({ path }) => path)).toContain('src/base/clock.ts');
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(20);
  });

  test('has no import that the table does not allow', () => {
    expect(forbiddenEdges(HOUSE, files)).toEqual([]);
  });

  test('has a table that allows no more than is used', () => {
    expect(idleAllowances(HOUSE, files)).toEqual([]);
  });

  test('has no import cycle', () => {
    expect(cycles(files)).toEqual([]);
  });

  test('reads the environment in one place only', () => {
    const readers = files.filter(({ readsEnvironment }) => readsEnvironment).map(({ path }) => path);
    expect(readers.filter((path) => !READ_ENVIRONMENT.includes(path))).toEqual([]);
    expect(readers).toContain('src/env.ts');
  });

  test('loads undici in one place only', () => {
    const loading = files.filter(({ packages }) => packages.includes('undici')).map(({ path }) => path);
    expect(loading).toEqual(IMPORT_UNDICI);
  });

  test('re-exports in its public face only', () => {
    const reexporting = files.filter(({ reexports }) => reexports).map(({ path }) => path);
    expect(reexporting.filter((path) => !REEXPORT.includes(path))).toEqual([]);
  });
});

describe('the check itself', () => {
  const house: readonly Room[] = [
    { name: 'low', paths: ['low/'], imports: [] },
    { name: 'high', paths: ['high/', 'top.ts'], imports: ['low'], asTypes: ['side'], dynamically: ['late'] },
    { name: 'side', paths: ['side/'], imports: ['low/open.ts'] },
    { name: 'late', paths: ['late/'], imports: [] },
  ];

  test.each([
    ['down the table', 'high/a.ts', "import { x } from '../low/x.ts';", true],
    ['within the room', 'high/a.ts', "import { x } from '../top.ts';", true],
    ['up the table', 'low/a.ts', "import { x } from '../high/x.ts';", false],
    ['up the table, as type', 'low/a.ts', "import type { X } from '../high/x.ts';", false],
    ['up the table, as type inside', 'low/a.ts', "export type X = import('../high/x.ts').X;", false],
    ['up the table, by re-export', 'low/a.ts', "export { x } from '../high/x.ts';", false],
    ['up the table, by star', 'low/a.ts', "export * from '../high/x.ts';", false],
    ['up the table, dynamically', 'low/a.ts', "export const x = import('../high/x.ts');", false],
    ['up the table, for its effects', 'low/a.ts', "import '../high/x.ts';", false],
    ['to a type where types are allowed', 'high/a.ts', "import type { X } from '../side/x.ts';", true],
    ['to a value where types are allowed', 'high/a.ts', "import { x } from '../side/x.ts';", false],
    ['to inline types, which load the file', 'high/a.ts', "import { type X } from '../side/x.ts';", false],
    ['dynamically where that is allowed', 'high/a.ts', "export const x = import('../late/x.ts');", true],
    ['statically where only dynamically', 'high/a.ts', "import { x } from '../late/x.ts';", false],
    ['to the one open file', 'side/a.ts', "import { x } from '../low/open.ts';", true],
    ['to another file of that room', 'side/a.ts', "import { x } from '../low/x.ts';", false],
    ['to a file in no room', 'high/a.ts', "import { x } from '../lost/x.ts';", false],
    ['from a file in no room', 'lost/a.ts', 'export const x = 1;', false],
    ['to who knows where', 'low/a.ts', 'export const x = import(`../${process.title}/x.ts`);', false],
    ['to a package, dynamically', 'low/a.ts', "export const x = import('some-package');", true],
    ['to a package', 'low/a.ts', "import { x } from 'some-package';", true],
  ])('an import %s', (_name, path, text, allowed) => {
    expect(forbiddenEdges(house, [readSource(path, text)])).toHaveLength(allowed ? 0 : 1);
  });

  test('an allowance is idle when nothing uses it, or only types do', () => {
    const all = [
      readSource('high/a.ts', "import type { X } from '../low/x.ts'; import type { Y } from '../side/y.ts';"),
      readSource('high/b.ts', "export const x = import('../late/x.ts');"),
      readSource('side/a.ts', "import { x } from '../low/open.ts';"),
    ];
    expect(idleAllowances(house, all)).toEqual(['high -> low (value)']);
    expect(idleAllowances(house, all.slice(2))).toEqual([
      'high -> low (value)',
      'high -> side (type)',
      'high -> late (dynamic)',
    ]);
  });

  test('a cycle is found, also through types, and told as the way round', () => {
    const files = [
      readSource('low/a.ts', "import { b } from './b.ts';"),
      readSource('low/b.ts', "import type { C } from './c.ts'; export const b = 1;"),
      readSource('low/c.ts', "export { a } from './a.ts';"),
      readSource('low/d.ts', "import { b } from './b.ts';"),
    ];
    expect(cycles(files)).toEqual(['low/a.ts -> low/b.ts -> low/c.ts -> low/a.ts']);
    expect(cycles(files.slice(0, 2))).toEqual([]);
  });

  test.each(['process.env.X', "process['env']", 'const { X } = process.env;'])('%s is seen', (text) => {
    expect(readSource('low/a.ts', text).readsEnvironment).toBe(true);
  });

  test("an import of 'node:process' is seen, other env are not", () => {
    expect(readSource('low/a.ts', "import { env } from 'node:process';").readsEnvironment).toBe(true);
    expect(readSource('low/a.ts', 'export const x = options.env;').readsEnvironment).toBe(false);
  });
});
