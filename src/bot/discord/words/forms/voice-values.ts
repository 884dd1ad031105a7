import type { Choice, OfferedVoice } from '../../command.ts';
import { plainText } from '../plain-text.ts';
import { findVoice, suggestVoices } from './voice-choices.ts';

/** A member's choice: a voice, or null to leave the voice unchanged. */
interface ChosenVoice {
  readonly voiceId: string | null;
}

/**
 * The value for "no change" in options and menus. It cannot be mistaken for a voice, because voice values have a
 * prefix.
 */
const NO_CHANGE = 'no-change';
/** The menu entry that explains how to choose other voices. */
export const MORE_VOICES = 'more';

const PREFIX = 'voice:';
const VALUE_LENGTH_MAX = 100;
const CHOICES_MAX = 25;
const NO_CHANGE_TEXT = 'No change: your own voice, passed through the service';

/** Returns suggestions for an option that accepts a voice or no change. */
export function suggestVoiceValues(voices: readonly OfferedVoice[], typed: string): readonly Choice[] {
  const usable = voices.filter(({ id }) => isUsable(id));
  const noChange = { name: NO_CHANGE_TEXT, value: NO_CHANGE };
  const isMeant = NO_CHANGE_TEXT.toLowerCase().includes(typed.trim().toLowerCase());
  const found = suggestVoices(usable, typed).map(({ name, value }) => ({ name, value: valueOf(value) }));
  return [...found.slice(0, CHOICES_MAX - 1), ...(isMeant ? [noChange] : [])];
}

/**
 * Returns the entries of a select menu: no change, the first voices, and a hint if there are more voices than fit into
 * the menu.
 */
export function voiceEntries(voices: readonly OfferedVoice[]): readonly (Choice & { about: string })[] {
  const usable = voices.filter(({ id }) => isUsable(id));
  const room = CHOICES_MAX - 1;
  const isWhole = usable.length <= room;
  const shown = usable.slice(0, isWhole ? room : room - 1).map(({ id, name, description }) => ({
    name: plainText(name, VALUE_LENGTH_MAX) || 'A voice without a name',
    value: valueOf(id),
    about: plainText(description, VALUE_LENGTH_MAX),
  }));
  const more = { name: 'More voices', value: MORE_VOICES, about: 'Choose among all with /voice join' };
  const noChange = { name: 'No change', value: NO_CHANGE, about: NO_CHANGE_TEXT };
  return [noChange, ...shown, ...(isWhole ? [] : [more])];
}

/** Returns the choice for a suggestion, a menu entry or a typed name; `undefined` if there is no such voice. */
export function readVoiceValue(voices: readonly OfferedVoice[], given: string): ChosenVoice | undefined {
  if (given === NO_CHANGE || given.trim().toLowerCase() === 'no change') return { voiceId: null };
  if (given.startsWith(PREFIX)) return { voiceId: given.slice(PREFIX.length) };
  const found = findVoice(voices, given);
  return found && { voiceId: found.id };
}

function valueOf(id: string): string {
  return `${PREFIX}${id}`;
}

function isUsable(id: string): boolean {
  return valueOf(id).length <= VALUE_LENGTH_MAX;
}
