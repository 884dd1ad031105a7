import { readFile } from 'node:fs/promises';
import type { RawFile } from 'discord.js';
import type { ResultFile } from '../jobs/ports.ts';
import { safeFileName } from './cards.ts';

/** A kept file as it is sent to Discord. */
export async function rawFile({ path, name, mime }: ResultFile): Promise<RawFile> {
  return { name: safeFileName(name), data: await readFile(path), contentType: mime };
}
