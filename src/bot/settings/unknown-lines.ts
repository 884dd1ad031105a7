import { OWN_PREFIXES, VARIABLES } from './variables.ts';

const NAMES: readonly string[] = VARIABLES.map(({ setting }) => setting.variable);

/** Returns the errors about variables that look like this program's own but are unknown. Each is probably misspelt. */
export function unknownLines(names: readonly string[]): readonly string[] {
  return names
    .filter((name) => OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) && !NAMES.includes(name))
    .map(unknownLine);
}

/** Returns the error about one variable. It omits the value, which may be a secret under a misspelt name. */
function unknownLine(name: string): string {
  const start = name.slice(0, name.indexOf('_', name.indexOf('_') + 1) + 1 || undefined);
  const alike = NAMES.filter((known) => known.startsWith(start) || isAlike(known, name));
  const meant = alike.length > 0 ? alike : NAMES;
  return `${name} holds a value but is not a variable of this program: it may be one of ${meant.join(', ')}`;
}

/**
 * Whether the longer name has at most two letters more than the shorter name and contains the shorter name's letters
 * in order, except perhaps the last letter.
 */
function isAlike(known: string, given: string): boolean {
  const [short, long] = known.length < given.length ? [known, given] : [given, known];
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at >= short.length - 1 && long.length - short.length <= 2;
}
