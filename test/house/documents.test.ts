import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PICTURE_BYTES_MAX = 200_000;

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');

function found(pattern: RegExp): string[] {
  return [...new Set([...readme.matchAll(pattern)].map(([, text = '']) => text))];
}

test('the first thing that the README tells is npm start', () => {
  expect(/```\w+\n(.*?)\n```/s.exec(readme)?.[1]).toBe('npm start');
});

test('its three pictures are there, small, and told in words', async () => {
  const described = [
    ...readme.matchAll(/!\[([^\]]{80,})\]\((docs\/[^)]+)\)/g),
    ...readme.matchAll(/<img src="(docs\/[^"]+)" [^>]*alt="[^"]{80,}">/g),
  ];
  const paths = found(/(docs\/pictures\/[\w.-]+)/g);
  expect(paths).toHaveLength(3);
  expect(described).toHaveLength(3);
  for (const path of paths)
    expect((await stat(join(ROOT, path))).size).toBeLessThanOrEqual(PICTURE_BYTES_MAX);
});

test('every script, folder and file that it names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = found(/npm run ([\w-]+)/g);
  const paths = found(/`((?:src|test|db|commands|\.ci)\/[\w./-]*)`/g);
  expect(named.length).toBeGreaterThan(5);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  expect(paths.length).toBeGreaterThan(20);
  await Promise.all(paths.map((path) => access(join(ROOT, path))));
});
