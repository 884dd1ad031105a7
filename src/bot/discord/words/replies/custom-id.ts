/** The content of a custom id: the action and its arguments. Nothing about a component is kept in memory. */
export interface Action {
  readonly name: string;
  readonly args: readonly string[];
}

/** Identifies this bot's custom ids, and the version of their format. */
const PREFIX = 'mq1';
const LENGTH_MAX = 100;
const PART = /^[\w.-]*$/;

/**
 * Returns the custom id of a component or form, such as `mq1:retry:job_abc`. The name and the arguments may contain
 * letters, digits, `_`, `.` and `-`.
 */
export function customId(name: string, ...args: readonly string[]): string {
  const parts = [name, ...args];
  const id = [PREFIX, ...parts].join(':');
  if (id.length > LENGTH_MAX || name === '' || !parts.every((part) => PART.test(part))) {
    throw new TypeError(`Cannot make a custom id for "${name}": a part does not fit`);
  }
  return id;
}

/** Parses a custom id; returns `undefined` if it is not this bot's. */
export function parseCustomId(id: string): Action | undefined {
  const [prefix, name, ...args] = id.split(':');
  if (prefix !== PREFIX || name === undefined || name === '') return undefined;
  return [name, ...args].every((part) => PART.test(part)) ? { name, args } : undefined;
}

/** Returns whether a custom id is this bot's, with any action. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(`${PREFIX}:`);
}
