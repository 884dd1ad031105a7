import type { Choice, OfferedVoice } from '../../command.ts';
import { plainText } from '../plain-text.ts';

const CHOICES_MAX = 25;
/** The length limit for the name and the value of a choice. */
const LENGTH_MAX = 100;

/**
 * Returns the voices whose name or description contains the typed text. Voices whose name starts with it come first.
 */
export function suggestVoices(voices: readonly OfferedVoice[], typed: string): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  const choices = voices
    .filter(({ id }) => id.length <= LENGTH_MAX)
    .map(({ id, name, description }) => ({ name: voiceLine(name, description), value: id }))
    .filter((choice) => choice.name.toLowerCase().includes(wanted));
  const begins = choices.filter((choice) => choice.name.toLowerCase().startsWith(wanted));
  const others = choices.filter((choice) => !begins.includes(choice));
  return [...begins, ...others].slice(0, CHOICES_MAX);
}

/** Returns the voice that a member chose from the suggestions, or whose name they typed. */
export function findVoice(voices: readonly OfferedVoice[], given: string): OfferedVoice | undefined {
  const wanted = given.trim().toLowerCase();
  return (
    voices.find(({ id }) => id === given) ??
    voices.find(({ name }) => plainText(name, LENGTH_MAX).toLowerCase() === wanted)
  );
}

function voiceLine(name: string, description: string): string {
  const shown = plainText(name, LENGTH_MAX) || 'A voice without a name';
  return plainText(description === '' ? shown : `${shown} · ${description}`, LENGTH_MAX);
}
