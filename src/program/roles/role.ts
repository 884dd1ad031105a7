import type { Logger } from '../../base/log.ts';
import type { Settings } from '../../bot/settings/settings.ts';

/** The context in which a role of the program runs. */
export interface RoleContext {
  readonly settings: Settings;
  readonly log: Logger;
  /** The arguments after the role's name. */
  readonly args: readonly string[];
  /** Writes to stdout. */
  readonly print: (text: string) => void;
  /** Writes a message for people to stderr, in addition to the log. */
  readonly notify: (text: string) => void;
  /** Ends the program with an error, because it permanently lost something that it needs. */
  readonly fail: (error: Error) => void;
}

/** Starts a role. Resolves with a role that runs until it is disposed, or with null if its work is done. */
export type Role = (context: RoleContext) => Promise<AsyncDisposable | null>;

/** Prints one line of JSON from which other programs learn this program's addresses. */
export function printReady(
  context: RoleContext,
  ready: { readonly ready: string; readonly [name: string]: unknown },
): void {
  context.print(`${JSON.stringify(ready)}\n`);
}
