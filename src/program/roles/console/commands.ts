import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { type Command, ConsoleError } from './command.ts';
import { KEY_COMMANDS } from './key-commands.ts';
import { OFFER_COMMANDS } from './offer-commands.ts';

export const COMMANDS: readonly Command[] = [...KEY_COMMANDS, ...ACCOUNT_COMMANDS, ...OFFER_COMMANDS];

const EXAMPLES = [
  'accounts create "Photo club"',
  'top-up 25 --account "Photo club"',
  'keys create bot --account "Photo club" --requests-per-minute 120',
  'secret rotate --overlap-minutes 60',
  'rates set photo_swap --rate 0.05 --minimum 0.05 --hold 0.08',
  'capabilities off video_swap',
  'ceilings set jobsInFlightMax 20',
  'accounts list --json',
];

/**
 * Returns the command that `words` start with, and the remaining words as its values. If there is none, throws a
 * `ConsoleError` that names similar commands.
 */
export function findCommand(words: readonly string[]): { command: Command; values: readonly string[] } {
  for (const command of COMMANDS) {
    const own = command.words.split(' ');
    if (own.every((word, index) => words[index] === word))
      return { command, values: words.slice(own.length) };
  }
  const alike = COMMANDS.filter((command) => command.words.split(' ')[0] === words[0]);
  const hint =
    alike.length > 0
      ? `there are ${alike.map((command) => `"${command.words}"`).join(', ')}`
      : '"help" shows all commands';
  throw new ConsoleError(`Cannot run "${words.slice(0, 2).join(' ')}": ${hint}`);
}

/** Returns the words, values and options of a command as the operator types them. */
export function usageOf({ words, values, options }: Command): string {
  return [words, ...values, ...options.map((option) => `[${option}]`)].join(' ');
}

/** Describes all commands, with examples. */
export function helpText(): string {
  const commands = COMMANDS.map((command) => `  ${usageOf(command)}\n      ${command.what}`);
  const examples = EXAMPLES.map((example) => `  npm run console -- ${example}`);
  return [
    'Administers the media server in DATA_DIR/media-server, whether or not it runs. A change applies from its next request on.',
    'Without --account, commands use the first account. --json prints JSON for machines.',
    '',
    ...commands,
    '',
    'Examples:',
    ...examples,
  ].join('\n');
}
