import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { CIRCLES, FILES_ALLOWED_MAX, HOUSE, type Room, type Table } from './house.ts';
import { type Edge, type SourceFile, readSource, readSources } from './source-graph.ts';

const READ_ENVIRONMENT: readonly string[] = [
  'src/bot/settings/read-environment.ts',
  'src/program/launch.mjs',
  'src/base/child-environment.ts',
];
const REEXPORT: readonly string[] = ['src/index.ts'];
/** The only file that may import undici. It undoes the change that loading undici makes for other libraries. */
const IMPORT_UNDICI: readonly string[] = ['src/base/http-client.ts'];
/** Folders whose code runs in browsers. */
const CLIENT = /^.*?\/client\//;

type House = Readonly<Record<string, Table>>;
/** One import between two rooms of a folder. `path` and `to` are relative to that folder. */
interface Step {
  readonly table: Table;
  readonly from: Room;
  readonly to: string;
  readonly how: Edge['how'];
}

function contains(name: string, path: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}

function roomIn(table: Table, path: string): Room | undefined {
  return table.find(({ name }) => contains(name, path));
}

/**
 * Returns the import in terms of the innermost table that has the two files in different rooms; `undefined` if
 * there is none.
 */
function stepOf(house: House, path: string, { to, how }: Edge): Step | 'homeless' | undefined {
  const folders = Object.keys(house).sort((a, b) => b.length - a.length);
  for (const folder of folders) {
    const inside = folder === '' ? '' : `${folder}/`;
    if (!path.startsWith(inside) || !to.startsWith(inside)) continue;
    const table = house[folder] ?? [];
    const [from, target] = [path, to].map((file) => roomIn(table, file.slice(inside.length)));
    if (folder === '' && (!from || !target)) return 'homeless';
    if (from && target && from !== target) return { table, from, to: to.slice(inside.length), how };
    if (folder !== '' && (!from || !target)) return undefined;
  }
  return undefined;
}

function allowancesOf({ imports = [], types = [], dynamic = [] }: Room, how: Edge['how']): readonly string[] {
  if (how === 'value') return imports;
  return how === 'dynamic' ? [...imports, ...dynamic] : [...imports, ...types, ...dynamic];
}

function forbiddenEdges(house: House, files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((edge) => {
        if (edge.to === 'package.json') return false;
        const step = stepOf(house, path, edge);
        if (step === undefined) return false;
        return (
          step === 'homeless' || !allowancesOf(step.from, step.how).some((name) => contains(name, step.to))
        );
      })
      .map(({ to, how }) => `${path} -> ${to} (${how})`),
  );
}

/** Returns allowances that no import of their own kind uses. */
function idleAllowances(house: House, files: readonly SourceFile[]): readonly string[] {
  const steps = files.flatMap(({ path, imports }) =>
    imports.map((edge) => stepOf(house, path, edge)).filter((step) => typeof step === 'object'),
  );
  return Object.values(house).flatMap((table) =>
    table.flatMap((from) => {
      const own = steps.filter((step) => step.from === from);
      const idle = (names: readonly string[] | undefined, how: Edge['how']): readonly string[] =>
        (names ?? [])
          .filter((name) => !own.some((step) => step.how === how && contains(name, step.to)))
          .map((name) => `${from.name} -> ${name} (${how})`);
      return [...idle(from.imports, 'value'), ...idle(from.types, 'type'), ...idle(from.dynamic, 'dynamic')];
    }),
  );
}

/** Returns allowances that do not lead to a room listed above their own. */
function upwardAllowances(house: House): readonly string[] {
  return Object.values(house).flatMap((table) =>
    table.flatMap(({ name, imports = [], types = [], dynamic = [] }, floor) =>
      [...imports, ...types, ...dynamic]
        .filter((target) => !table.slice(0, floor).some((lower) => contains(lower.name, target)))
        .map((target) => `${name} -> ${target}`),
    ),
  );
}

/** Returns the pairs of sibling folders that import each other, through any of their files. */
function circles(files: readonly SourceFile[]): readonly string[] {
  const steps = new Set<string>();
  for (const { path, imports } of files) {
    for (const { to } of imports) {
      const [a, b] = [path.split('/'), to.split('/')];
      const shared = a.findIndex((part, at) => part !== b[at]);
      if (shared < 1 || shared >= a.length - 1 || shared >= b.length - 1) continue;
      steps.add(`${a.slice(0, shared + 1).join('/')} ${b.slice(0, shared + 1).join('/')}`);
    }
  }
  return [...steps]
    .map((step) => step.split(' '))
    .filter(([from = '', to = '']) => from < to && steps.has(`${to} ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`);
}

/** Returns imports across the border between browser code and Node.js code, except type imports by browser code. */
function borderCrossings(files: readonly SourceFile[]): readonly string[] {
  const side = (path: string): string => CLIENT.exec(path)?.[0] ?? 'server';
  const isShared = (path: string): boolean => path.startsWith('src/base/pages/kit/');
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ to, how }) =>
          side(path) !== side(to) && !isShared(to) && (how !== 'type' || side(path) === 'server'),
      )
      .map(({ to }) => `${path} -> ${to}`),
  );
}

/**
 * Returns each cycle once, as the path around it. Type imports count, because a cycle of them couples the
 * files as well.
 */
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

  test('has its files where the test looks for them', () => {
    expect(files.map(({ path }) => path)).toContain('src/base/clock.ts');
    expect(files.filter(({ path }) => !roomIn(HOUSE[''] ?? [], path))).toEqual([]);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(20);
  });

  test('has no import that the tables do not allow', () => {
    expect(forbiddenEdges(HOUSE, files)).toEqual([]);
  });

  test('has tables that allow no more than is used', () => {
    expect(idleAllowances(HOUSE, files)).toEqual([]);
  });

  test('has tables that only allow what is listed above a room', () => {
    expect(upwardAllowances(HOUSE)).toEqual([]);
  });

  test('allows few files one by one', () => {
    const allowed = Object.values(HOUSE)
      .flat()
      .flatMap(({ imports = [], types = [], dynamic = [] }) => [...imports, ...types, ...dynamic])
      .filter((name) => name.endsWith('.ts'));
    expect(allowed.length).toBeLessThanOrEqual(FILES_ALLOWED_MAX);
  });

  test('has no folders that import each other, except for those that are listed', () => {
    expect(circles(files)).toEqual(CIRCLES);
  });

  test('shares no code between browsers and servers, except for types and the kit', () => {
    expect(borderCrossings(files)).toEqual([]);
  });

  test('has at most ten entries in src', async () => {
    expect((await readdir(new URL('../../src', import.meta.url))).length).toBeLessThanOrEqual(10);
  });

  test('has no import cycle', () => {
    expect(cycles(files)).toEqual([]);
  });

  test('reads the environment in one place only', () => {
    const readers = files.filter(({ readsEnvironment }) => readsEnvironment).map(({ path }) => path);
    expect(readers.filter((path) => !READ_ENVIRONMENT.includes(path))).toEqual([]);
    expect(readers).toContain('src/bot/settings/read-environment.ts');
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
  const house: House = {
    '': [
      { name: 'low' },
      { name: 'side', imports: ['low/open.ts'] },
      { name: 'late' },
      { name: 'high', imports: ['low'], types: ['side'], dynamic: ['late'] },
    ],
    high: [{ name: 'cellar' }, { name: 'attic', imports: ['cellar'] }],
  };

  test.each([
    ['down the table', 'high/a.ts', "import { x } from '../low/x.ts';", true],
    ['within the room', 'high/a.ts', "import { x } from './b.ts';", true],
    ['down the table of a folder', 'high/attic/a.ts', "import { x } from '../cellar/x.ts';", true],
    ['up the table of a folder', 'high/cellar/a.ts', "import { x } from '../attic/x.ts';", false],
    ['from a room to a loose file beside it', 'high/cellar/a.ts', "import { x } from '../x.ts';", true],
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
    [
      'statically where only dynamic imports are allowed',
      'high/a.ts',
      "import { x } from '../late/x.ts';",
      false,
    ],
    ['to the one open file', 'side/a.ts', "import { x } from '../low/open.ts';", true],
    ['to another file of that room', 'side/a.ts', "import { x } from '../low/x.ts';", false],
    ['to a file in no room', 'high/a.ts', "import { x } from '../lost/x.ts';", false],
    ['from a file in no room', 'lost/a.ts', "import { x } from '../low/x.ts';", false],
    ['to an unknown file', 'low/a.ts', 'export const x = import(`../${process.title}/x.ts`);', false],
    ['to a package, dynamically', 'low/a.ts', "export const x = import('some-package');", true],
    ['to a package', 'low/a.ts', "import { x } from 'some-package';", true],
  ])('an import %s', (_name, path, text, allowed) => {
    expect(forbiddenEdges(house, [readSource(path, text)])).toHaveLength(allowed ? 0 : 1);
  });

  test('an allowance that leads up its table is found', () => {
    const wrong: House = {
      '': [
        { name: 'low', types: ['high/x.ts'] },
        { name: 'high', imports: ['high', 'low'] },
      ],
    };
    expect(upwardAllowances(wrong)).toEqual(['low -> high/x.ts', 'high -> high']);
  });

  test('folders that import each other are found, also below the table', () => {
    const files = [
      readSource('low/a/x.ts', "import type { Y } from '../b/deep/y.ts';"),
      readSource('low/b/z.ts', "import { x } from '../a/x.ts'; import { l } from '../loose.ts';"),
      readSource('low/loose.ts', "import { x } from './a/x.ts';"),
    ];
    expect(circles(files)).toEqual(['low/a <-> low/b']);
    expect(circles(files.slice(1))).toEqual([]);
  });

  test('only types cross the border between browsers and servers, from server to browser', () => {
    const files = [
      readSource('src/x/client/a.ts', "import type { X } from '../wire.ts'; import { y } from '../wire.ts';"),
      readSource('src/x/client/b.ts', "import { dollars } from '../../base/pages/kit/usd.ts';"),
      readSource('src/x/wire.ts', "import type { A } from './client/a.ts';"),
    ];
    expect(borderCrossings(files)).toEqual([
      'src/x/client/a.ts -> src/x/wire.ts',
      'src/x/wire.ts -> src/x/client/a.ts',
    ]);
  });

  test('an allowance is idle when nothing uses it, or only types do', () => {
    const all = [
      readSource('high/a.ts', "import type { X } from '../low/x.ts'; import type { Y } from '../side/y.ts';"),
      readSource('high/b.ts', "export const x = import('../late/x.ts');"),
      readSource('side/a.ts', "import { x } from '../low/open.ts';"),
    ];
    expect(idleAllowances(house, all)).toEqual(['high -> low (value)', 'attic -> cellar (value)']);
    expect(idleAllowances(house, all.slice(2))).toEqual([
      'high -> low (value)',
      'high -> side (type)',
      'high -> late (dynamic)',
      'attic -> cellar (value)',
    ]);
  });

  test('a cycle is found, also through types, and reported as the way round it', () => {
    const files = [
      readSource('low/a.ts', "import { b } from './b.ts';"),
      readSource('low/b.ts', "import type { C } from './c.ts'; export const b = 1;"),
      readSource('low/c.ts', "export { a } from './a.ts';"),
      readSource('low/d.ts', "import { b } from './b.ts';"),
    ];
    expect(cycles(files)).toEqual(['low/a.ts -> low/b.ts -> low/c.ts -> low/a.ts']);
    expect(cycles(files.slice(0, 2))).toEqual([]);
  });

  test.each(['process.env.X', "process['env']", 'const { X } = process.env;'])('%s is detected', (text) => {
    expect(readSource('low/a.ts', text).readsEnvironment).toBe(true);
  });

  test("an import of 'node:process' is detected, and other uses of the name env are not", () => {
    expect(readSource('low/a.ts', "import { env } from 'node:process';").readsEnvironment).toBe(true);
    expect(readSource('low/a.ts', 'export const x = options.env;').readsEnvironment).toBe(false);
  });
});
