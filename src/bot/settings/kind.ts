/** A kind of value that a variable can hold. */
export interface Kind<T> {
  /** Describes the allowed values, for the end of an error that says "it may hold …". */
  readonly allowed: string;
  /** Parses a variable's value, or returns undefined if it is not allowed. */
  readonly read: (text: string) => T | undefined;
  /** Whether values are secret, so that no error may show them. */
  readonly isSecret?: boolean;
}

/** Returns a kind that allows any text. */
export function text(allowed: string): Kind<string> {
  return { allowed, read: (value) => value };
}

/** Returns a kind that allows any text that matches `pattern`. */
export function matching(pattern: RegExp, allowed: string): Kind<string> {
  return { allowed, read: (value) => (pattern.test(value) ? value : undefined) };
}

/**
 * Returns a kind that allows http or https URLs without credentials, query or fragment for which `accepts` returns
 * true.
 */
export function url(allowed: string, accepts: (parsed: URL) => boolean): Kind<string> {
  return { allowed, read: (value) => (isPlainUrl(value) && accepts(new URL(value)) ? value : undefined) };
}

/** Returns a kind that allows whole numbers from `min` to `max`, in decimal digits. */
export function whole(min: number, max: number): Kind<number> {
  const isInRange = (value: number): boolean => value >= min && value <= max;
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read: (value) => (/^\d{1,9}$/.test(value) && isInRange(Number(value)) ? Number(value) : undefined),
  };
}

/** Returns a kind that allows one of `words`. */
export function oneOf<const T extends string>(words: readonly T[]): Kind<T> {
  return {
    allowed: `one of ${words.join(', ')}`,
    read: (value) => words.find((word) => word === value),
  };
}

/**
 * Returns a kind that allows a comma-separated list of at most `countMax` parts, all of which `accepts` must accept.
 * Empty text is an empty list.
 */
export function listOf(
  countMax: number,
  accepts: (part: string) => boolean,
  allowed: string,
): Kind<readonly string[]> {
  return {
    allowed,
    read: (value) => {
      if (value === '') return [];
      const parts = value.split(',').map((part) => part.trim());
      return parts.length <= countMax && parts.every((part) => accepts(part)) ? parts : undefined;
    },
  };
}

/** Whether `text` is an http or https URL without credentials, query or fragment. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
