/**
 * The slot in which undici 6 and 7 (discord.js among their users) and Node's own `fetch` share one default
 * dispatcher. Merely loading undici 8 puts a dispatcher of its own there, which refuses the form data that
 * discord.js sends files in.
 */
const SLOT = Symbol.for('undici.globalDispatcher.1');

const slots = globalThis as { [SLOT]?: unknown };
const before: unknown = slots[SLOT];

/** Puts back what was in the slot when this module was loaded, for everybody else in the process. */
export function giveBackSharedDispatcher(): void {
  slots[SLOT] = before;
}
