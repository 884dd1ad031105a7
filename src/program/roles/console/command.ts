import { ServiceError } from '../../../base/errors.ts';
import type { MediaAdmin } from '../../../media-server/media-admin.ts';
import type { ConsoleAnswer, ConsoleVerb } from '../../../media-server/console/console-wire.ts';

/** One use of a command. */
export interface CommandCall {
  /** Provides the data that the command shows. */
  readonly admin: MediaAdmin;
  /** Runs `verb` in the same way as the console page does. Throws `ConsoleRefusal`. */
  readonly runVerb: (verb: ConsoleVerb) => ConsoleAnswer;
  /** The values after the command's words, one for each entry of `Command.values`. */
  readonly values: readonly string[];
  /** The values of the given options, by option name without dashes. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** The answer to a command: `text` for people, `json` for machines. */
export interface CommandAnswer {
  readonly text: string;
  readonly json: unknown;
}

/** One command of the console. */
export interface Command {
  /** The words that run the command, such as `keys create`. */
  readonly words: string;
  /**
   * The required values in order, such as `<name>`. Each is named after the field of the `ConsoleVerb` that it sets.
   */
  readonly values: readonly string[];
  /**
   * The allowed options with their values, such as `--account <id>`. Options, too, are named after fields of the
   * `ConsoleVerb`.
   */
  readonly options: readonly string[];
  readonly what: string;
  readonly run: (call: CommandCall) => CommandAnswer;
}

/** A command was refused and changed nothing. The message says why, and what the operator can do instead. */
export class ConsoleError extends ServiceError<'refused'> {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('refused', message, options);
  }
}
