/** What a button, menu or form carries: the action and its arguments, nothing that lives in memory. */
export interface Action {
  readonly name: string;
  readonly args: readonly string[];
}

/** Marks the ids that are this bot's, and the version of how they are written. */
const PREFIX = 'mq1';
const LENGTH_MAX = 100;
const PART = /^[\w.-]*$/;

/** The custom id of a component or form, such as `mq1:retry:job_abc`. Parts are letters, digits, `_`, `.` and `-`. */
export function customId(name: string, ...args: readonly string[]): string {
  const parts = [name, ...args];
  const id = [PREFIX, ...parts].join(':');
  if (id.length > LENGTH_MAX || name === '' || !parts.every((part) => PART.test(part))) {
    throw new TypeError(`Cannot make a custom id for "${name}": a part does not fit`);
  }
  return id;
}

/** Reads a custom id; undefined when it is somebody else's. */
export function parseCustomId(id: string): Action | undefined {
  const [prefix, name, ...args] = id.split(':');
  if (prefix !== PREFIX || name === undefined || name === '') return undefined;
  return [name, ...args].every((part) => PART.test(part)) ? { name, args } : undefined;
}

/** Whether a custom id is this bot's, of whatever action. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(`${PREFIX}:`);
}
