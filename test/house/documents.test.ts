import { access, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listDocuments } from './prose-tree.ts';

const ROOT = join(import.meta.dirname, '../..');
const PICTURE_BYTES_MAX = 200_000;
const README_LINES_MAX = 200;
/** Names that are not settings: the tests' and Node.js's environment variables, a Linux capability, a constant. */
const OTHER_NAMES = [
  'TEST_POSTGRES_URL',
  'PROPERTY_SEED',
  'NODE_EXTRA_CA_CERTS',
  'CAP_SYS_ADMIN',
  'IN_SERVERS_ONLY',
];

interface Document {
  readonly path: string;
  readonly text: string;
  /** The text without code blocks. */
  readonly prose: string;
}

const documents: readonly Document[] = await Promise.all(
  (await listDocuments()).map(async (path) => {
    const text = await readFile(join(ROOT, path), 'utf8');
    return { path, text, prose: text.replaceAll(/^ *```.*?^ *```$/gms, '') };
  }),
);

function allIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))];
}

/**
 * Returns the documents and files to which a document links, relative to the root of the repository, and the
 * linked headings.
 */
function linksOf({ path, prose }: Document): readonly { readonly to: string; readonly heading: string }[] {
  return allIn(prose, /\]\(([^)\s]+)\)/g)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', heading = ''] = target.split('#');
      return { to: file === '' ? path : normalize(join(dirname(path), file)), heading };
    });
}

/** Returns the anchors of a document's headings. */
function anchorsOf({ prose }: Document): readonly string[] {
  return allIn(prose, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

async function isThere(path: string): Promise<boolean> {
  return access(join(ROOT, path)).then(
    () => true,
    () => false,
  );
}

async function missing(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map(isThere));
  return paths.filter((_path, index) => there[index] !== true);
}

const program = await textBelow('src/bot/settings');

describe('the README', () => {
  const { text: readme = '' } = documents.find(({ path }) => path === 'README.md') ?? {};

  test('starts with how to get the code and start it', () => {
    const first = /```\w+\n(.*?)\n```/s.exec(readme)?.[1] ?? '';
    expect(first).toMatch(/^git clone /);
    expect(first).toMatch(/\nnpm start$/);
  });

  test('is short', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(README_LINES_MAX);
  });

  test('has three small pictures with descriptions', async () => {
    const described = [
      ...readme.matchAll(/!\[([^\]]{80,})\]\((docs\/[^)]+)\)/g),
      ...readme.matchAll(/<img src="(docs\/[^"]+)" [^>]*alt="[^"]{80,}">/g),
    ];
    const paths = allIn(readme, /(docs\/pictures\/[\w.-]+)/g);
    expect(paths).toHaveLength(3);
    expect(described).toHaveLength(3);
    for (const path of paths)
      expect((await stat(join(ROOT, path))).size).toBeLessThanOrEqual(PICTURE_BYTES_MAX);
  });

  test('leads to every document, directly or through another one', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      const document = documents.find((one) => one.path === path);
      for (const { to } of document ? linksOf(document) : []) reached.add(to);
    }
    const ours = documents.map(({ path }) => path);
    expect(ours.filter((path) => !reached.has(path))).toEqual([]);
    expect(ours.length).toBeGreaterThan(15);
  });
});

describe.each(documents)('$path', (document) => {
  test('names only scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining([...allIn(document.text, /npm run ([\w-]+)/g)]),
    );
  });

  test('names only files and folders that exist', async () => {
    const paths = allIn(document.text, /`((?:src|test|db|commands|docs|\.ci)\/[\w./-]*)`/g);
    const inCommands = allIn(
      document.text,
      /\b((?:src|test|db|commands|docs)\/[\w./-]+\.(?:tsx?|json|md))\b/g,
    );
    expect(await missing([...paths, ...inCommands])).toEqual([]);
  });

  test('links only to files and headings that exist', async () => {
    const links = linksOf(document);
    expect(await missing(links.map(({ to }) => to))).toEqual([]);
    const broken = links.filter(({ to, heading }) => {
      const target = documents.find(({ path }) => path === to);
      return heading !== '' && !(target && anchorsOf(target).includes(heading));
    });
    expect(broken).toEqual([]);
  });

  test('names only variables that the program reads', () => {
    const named = allIn(document.prose, /`([A-Z]+(?:_[A-Z]+)+)`/g);
    // For a variable such as `X_FILE`, which names the file with the value of `X`, the program contains only `X`.
    const isRead = (name: string): boolean => program.includes(name.replace(/_FILE$/, ''));
    expect(named.filter((name) => !isRead(name) && !OTHER_NAMES.includes(name))).toEqual([]);
  });
});

async function textBelow(folder: string): Promise<string> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts'));
  return (await Promise.all(files.map((name) => readFile(join(ROOT, folder, name), 'utf8')))).join('\n');
}
