import { fileURLToPath } from 'node:url';
import type { LiveFace } from '../live-swap-engine.ts';

/** The faces that come with the server (rendered people, CC0), 384 x 384 each; the first is the default. */
export const PRESET_FACES: readonly LiveFace[] = [
  { id: 'elderly-man', description: 'an elderly man with receding grey hair' },
  { id: 'brown-haired-woman', description: 'a young woman with freckles and long brown hair' },
  { id: 'dark-haired-man', description: 'a man in his forties with short dark hair' },
  { id: 'black-haired-woman', description: 'a young woman with black hair combed back' },
  { id: 'short-haired-man', description: 'a young man with dark skin and very short hair' },
  { id: 'curly-haired-woman', description: 'a woman in her forties with curly black hair' },
];

/** Returns the picture file of a preset face. Throws `RangeError` if there is none with this id. */
export function presetFacePath(id: string): string {
  if (!PRESET_FACES.some((face) => face.id === id)) {
    throw new RangeError(`Cannot wear the face "${id}": there is none of that name`);
  }
  return fileURLToPath(new URL(`faces/${id}.jpg`, import.meta.url));
}
