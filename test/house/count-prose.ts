/** `node test/house/count-prose.ts [folder]`: counts the offences of each folder again, or lists those of one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proseOffences } from './prose-tree.ts';

const [folder] = process.argv.slice(2);
const offences = await proseOffences();

if (folder === undefined) {
  const counts = [...offences].map(([room, { length }]) => [room, length] as const);
  const sorted = counts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const known = `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
  await writeFile(join(import.meta.dirname, 'known-prose.json'), known);
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  process.stdout.write(`${sum} offences in ${counts.length} folders\n`);
} else {
  for (const { found, better } of offences.get(folder.replace(/\/$/, '')) ?? []) {
    process.stdout.write(`${found}  (better: ${better})\n`);
  }
}
