/**
 * An expected failure. `code` is stable, and comes from a closed union that belongs to the throwing module. `message`
 * is for operators. `userMessage`, if present, is written for the member who caused the action, and is the only text of
 * an error that members may see.
 */
export class ServiceError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly userMessage: string | undefined;

  constructor(code: Code, message: string, options: { cause?: unknown; userMessage?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.userMessage = options.userMessage;
  }
}

/** Marks a branch that the types rule out. Throws if it is reached anyway because of invalid data. */
export function unreachable(value: never): never {
  throw new TypeError(`Cannot continue: unexpected value ${JSON.stringify(value)}`);
}

/** Returns the `code` of a Node.js system error (`ENOENT`, `EADDRINUSE`, ...), or undefined if `error` is not one. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
