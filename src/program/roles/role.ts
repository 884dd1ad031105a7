import type { Logger } from '../../base/log.ts';
import type { Settings } from '../settings/settings.ts';

/** What a role of the program is started with. */
export interface RoleContext {
  readonly settings: Settings;
  readonly log: Logger;
  /** The arguments after the role's name. */
  readonly args: readonly string[];
  /** Writes to stdout. */
  readonly print: (text: string) => void;
  /** Writes to stderr what is for people and no line of the log. */
  readonly tell: (text: string) => void;
  /** Ends the program with an error: something that it cannot do without is gone for good. */
  readonly fail: (error: Error) => void;
}

/** A role that goes on until it is disposed, or null when it has done what it was for. */
export type Role = (context: RoleContext) => Promise<AsyncDisposable | null>;

/** The one line of JSON that tells programs where everything is. */
export function printReady(
  context: RoleContext,
  ready: { readonly ready: string; readonly [name: string]: unknown },
): void {
  context.print(`${JSON.stringify(ready)}\n`);
}
