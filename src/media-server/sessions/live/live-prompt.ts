import type { LiveFace } from '../../engine/live-swap-engine.ts';

/** The face that a prompt selects: a preset, or the one in an uploaded picture. */
export type PromptedFace = { readonly face: LiveFace } | { readonly fileKey: string };

const FILE_KEY = /(?:^|[^A-Za-z0-9/])(api\/[A-Za-z0-9_]+)/;
/** Words that do not describe a face. */
const IDLE_WORDS: ReadonlySet<string> = new Set(
  'a an and as at by face her his in into my of on or swap the to wear with your'.split(' '),
);

/**
 * Parses the prompt of a live session. A file key takes precedence; next comes a preset whose id the prompt contains,
 * with spaces or hyphens; then the preset whose description shares the most words with the prompt (the first of
 * several). If none matches, the first preset is the default.
 */
export function readLivePrompt(prompt: string, faces: readonly LiveFace[]): PromptedFace | undefined {
  const fileKey = FILE_KEY.exec(prompt)?.[1];
  if (fileKey !== undefined) return { fileKey };
  const words = wordsOf(prompt);
  const named = faces.find(({ id }) => ` ${words.join(' ')} `.includes(` ${wordsOf(id).join(' ')} `));
  const face = named ?? bestMatch(new Set(words), faces) ?? faces[0];
  return face && { face };
}

/** Returns the prompt as the session uses it: the sent or default prompt, with the selected face. */
export function resolvedPrompt(prompt: string | undefined, prompted: PromptedFace): string {
  const who = 'face' in prompted ? prompted.face.description : `the face in ${prompted.fileKey}`;
  return prompt === undefined ? `Wear the face of ${who}` : `${prompt} [worn: ${who}]`;
}

function bestMatch(words: ReadonlySet<string>, faces: readonly LiveFace[]): LiveFace | undefined {
  let best: LiveFace | undefined;
  let bestCount = 0;
  for (const face of faces) {
    const described = new Set(wordsOf(`${face.id} ${face.description}`));
    const count = [...described].filter((word) => words.has(word) && !IDLE_WORDS.has(word)).length;
    if (count > bestCount) [best, bestCount] = [face, count];
  }
  return best;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
