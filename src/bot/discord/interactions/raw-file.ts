import { readFile } from 'node:fs/promises';
import type { RawFile } from 'discord.js';
import type { ResultFile } from '../../jobs/cards.ts';
import { safeFileName } from '../words/replies/cards.ts';

/** A file in a reply: a stored result, or a file that was created for the reply. */
export type ReplyFile = ResultFile | RawFile;

/** Returns a file in the form in which it is sent to Discord. */
export async function rawFile(file: ReplyFile): Promise<RawFile> {
  if (!('path' in file)) return file;
  return { name: safeFileName(file.name), data: await readFile(file.path), contentType: file.mime };
}
