/**
 * The slot in which undici 6 and 7 (which discord.js uses) and Node's own `fetch` share one default dispatcher. When
 * loaded, undici 8 stores its own dispatcher there, which rejects the form data that discord.js uses to send files.
 */
const SLOT = Symbol.for('undici.globalDispatcher.1');

const slots = globalThis as { [SLOT]?: unknown };
const before: unknown = slots[SLOT];

/** Restores the value that the slot had when this module was loaded, for all other code in the process. */
export function restoreSharedDispatcher(): void {
  slots[SLOT] = before;
}
