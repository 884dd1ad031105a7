import { readFile, writeFile } from 'node:fs/promises';
import { SCRIPT_LENGTH_MAX } from '../../../media-api/field-limits.ts';
import type { InputProblem } from './inputs.ts';

/**
 * Makes the file hold the text alone: no mark of its encoding, no blanks around it. Returns what is wrong with one
 * that is empty, too long, or not text at all.
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

/** UTF-8 without its mark; undefined for anything else, and for what no text holds. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
