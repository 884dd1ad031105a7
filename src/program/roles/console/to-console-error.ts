import type { ConsoleRefusal } from '../../../media-server/console/console-refusal.ts';
import { type Command, type CommandCall, ConsoleError } from './command.ts';
import { optionName } from './option-name.ts';

/** Hints that help the operator find the right value for a field. */
const HINTS: Readonly<Record<string, string>> = {
  keyId: '; "keys list" shows their ids, which are not the keys themselves',
};

/** Converts a `ConsoleRefusal` into a one-line error that quotes the refused value. */
export function toConsoleError(
  command: Command,
  { values, options }: Pick<CommandCall, 'values' | 'options'>,
  refusal: ConsoleRefusal,
): ConsoleError {
  const { field = '', message } = refusal;
  const state = `${message.slice(0, 1).toLowerCase()}${message.slice(1).replace(/\.$/, '')}${HINTS[field] ?? ''}`;
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const option = words.replaceAll(' ', '-');
  const place = command.values.indexOf(`<${words}>`);
  const typed = place >= 0 ? values[place] : options[option];
  const isKnown = place >= 0 || command.options.some((one) => optionName(one) === option);
  if (typed === undefined || !isKnown) {
    return new ConsoleError(`Cannot run "${command.words}": ${state}`, { cause: refusal });
  }
  const named = place >= 0 ? `<${words}>` : `--${option}`;
  return new ConsoleError(`Cannot take "${typed}" as ${named}: ${state}`, { cause: refusal });
}
