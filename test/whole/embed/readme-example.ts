import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Masquerade } from '../../../src/compose/masquerade-options.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs the README's embedding example, changed only by the given replacements; each must apply exactly once. */
export async function runReadmeExample(
  replacements: Readonly<Record<string, string>>,
): Promise<{ readonly masquerade: Masquerade }> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  let code = /```ts\n(import .*?)```/s.exec(readme)?.[1] ?? '';
  for (const [from, to] of Object.entries(replacements)) {
    if (code.split(from).length !== 2)
      throw new TypeError(`The example does not contain exactly once: ${from}`);
    code = code.replace(from, to);
  }
  const folder = join(ROOT, 'out', 'test');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `readme-example-${process.pid}.ts`);
  await writeFile(file, code);
  return (await import(pathToFileURL(file).href)) as { masquerade: Masquerade };
}
