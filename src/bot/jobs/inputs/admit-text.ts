import { readFile, writeFile } from 'node:fs/promises';
import { SCRIPT_LENGTH_MAX } from '../../../media-api/field-limits.ts';
import type { InputProblem } from './inputs.ts';

/**
 * Removes the byte order mark and surrounding white space from a text file. Returns the problem if the file is empty,
 * too long, or not text.
 */
export async function admitText(path: string): Promise<InputProblem | undefined> {
  const text = decode(await readFile(path))?.trim();
  if (text === undefined) return { kind: 'not_text' };
  if (text === '') return { kind: 'empty' };
  if (text.length > SCRIPT_LENGTH_MAX) {
    return { kind: 'text_too_long', length: text.length, lengthMax: SCRIPT_LENGTH_MAX };
  }
  await writeFile(path, text);
  return undefined;
}

/**
 * Decodes UTF-8 without a byte order mark. Returns `undefined` if the bytes are not UTF-8, or if they contain a null
 * character.
 */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
