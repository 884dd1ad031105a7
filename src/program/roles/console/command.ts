import { ServiceError } from '../../../base/errors.ts';
import type { MediaAdmin } from '../../../media-server/admin.ts';
import type { ConsoleAnswer, ConsoleVerb } from '../../../media-server/console/console-wire.ts';

/** What a command works with. */
export interface CommandCall {
  /** For what is only shown. */
  readonly admin: MediaAdmin;
  /** Does what the console page does too, with the same limits and words. Throws a refusal. */
  readonly tell: (verb: ConsoleVerb) => ConsoleAnswer;
  /** The values after the command's own words, as many as it names in `usage`. */
  readonly values: readonly string[];
  /** The options that were given, without their dashes. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** What a command tells: `text` for people, `json` for machines. */
export interface CommandAnswer {
  readonly text: string;
  readonly json: unknown;
}

/** One command of the console. */
export interface Command {
  /** Its words, such as `keys create`. */
  readonly words: string;
  /** The values it wants, in order, such as `<name>`; each has the name of the verb's field that it fills. */
  readonly values: readonly string[];
  /** The options it knows, each with its value, such as `--account <id>`; named likewise. */
  readonly options: readonly string[];
  readonly what: string;
  readonly run: (call: CommandCall) => CommandAnswer;
}

/** A refusal: what cannot be done, and what to do instead. Nothing was changed. */
export class ConsoleError extends ServiceError<'refused'> {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('refused', message, options);
  }
}
