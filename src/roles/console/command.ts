import { ServiceError } from '../../base/errors.ts';
import type { MediaAdmin } from '../../media-server/admin.ts';

/** What a command works with. */
export interface CommandCall {
  readonly admin: MediaAdmin;
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
  /** The values it wants, in order, such as `<name>`. */
  readonly values: readonly string[];
  /** The options it knows, each with its value, such as `--account <id>`. */
  readonly options: readonly string[];
  readonly what: string;
  readonly run: (call: CommandCall) => CommandAnswer;
}

/** A refusal: what cannot be done, and what to do instead. Nothing was changed. */
export class ConsoleError extends ServiceError<'refused'> {
  constructor(message: string) {
    super('refused', message);
  }
}
