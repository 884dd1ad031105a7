import type { PageCommand, PageCommandOption } from '../../use-views.ts';

const SUBCOMMAND = 1;
const GROUP = 2;
const SHOWN_MAX = 100;

/** A command that can be run: a chat command, or a subcommand of one. */
export interface CommandLine {
  /** The full name, such as `budget set`. */
  readonly path: string;
  readonly description: string;
  readonly command: PageCommand;
  readonly options: readonly PageCommandOption[];
}

/**
 * Returns all commands that can be run, with subcommands listed separately, in the order in which the bot lists them.
 */
export function commandLines(commands: readonly PageCommand[]): readonly CommandLine[] {
  return commands
    .filter(({ kind }) => kind === 'chat')
    .flatMap((command) => linesOf(command, command.name, command.description, command.options));
}

/**
 * Returns the commands whose name contains the text after the slash: exact matches first, then names that start with
 * the text.
 */
export function fitting(lines: readonly CommandLine[], typed: string): readonly CommandLine[] {
  const wanted = typed.trim().toLowerCase();
  const rank = ({ path }: CommandLine): number => (path === wanted ? 0 : path.startsWith(wanted) ? 1 : 2);
  return lines
    .filter(({ path }) => path.includes(wanted))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, SHOWN_MAX);
}

function linesOf(
  command: PageCommand,
  path: string,
  description: string,
  options: readonly PageCommandOption[],
): readonly CommandLine[] {
  const inner = options.filter(({ type }) => type === SUBCOMMAND || type === GROUP);
  if (inner.length === 0) return [{ path, description, command, options }];
  return inner.flatMap((option) =>
    linesOf(command, `${path} ${option.name}`, option.description, option.options),
  );
}
