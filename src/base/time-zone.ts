/** Current time zone names that this system may list under an older name. */
const NEWER_NAMES = [
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Europe/Kyiv',
  'UTC',
];

/**
 * Whether this system supports a time zone of that name. Offsets such as `+05:17` are not accepted as names, because
 * calendar days cannot start at an arbitrary minute.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w/+-]{0,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Finds the time zone that a user typed, ignoring case, and accepting spaces instead of underscores. Returns
 * `undefined` if there is none.
 */
export function timeZoneNamed(text: string): string | undefined {
  const typed = text.trim().replaceAll(' ', '_');
  const listed = timeZones().find((name) => name.toLowerCase() === typed.toLowerCase());
  return listed ?? (isTimeZone(typed) ? typed : undefined);
}

/**
 * Returns the names of time zones that contain `text`, at most `limit`. Names with a word that starts with `text` come
 * first.
 */
export function findTimeZones(text: string, limit: number): readonly string[] {
  const typed = text.trim().replaceAll(' ', '_').toLowerCase();
  const found = timeZones().filter((name) => name.toLowerCase().includes(typed));
  const isStart = (name: string): boolean => `/${name.toLowerCase()}`.includes(`/${typed}`);
  return [...found.filter(isStart), ...found.filter((name) => !isStart(name))].slice(0, limit);
}

/** Returns the time in the zone, such as "14:05". */
export function clockTime(timeZone: string, atMs: number): string {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-GB', options).format(atMs);
}

/** Returns the date and time in the zone, such as "Tuesday 1 December 2026 at 10:00". */
export function zonedMoment(timeZone: string, atMs: number): string {
  const date = { timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const day = new Intl.DateTimeFormat('en-GB', date).format(atMs).replace(',', '');
  return `${day} at ${clockTime(timeZone, atMs)}`;
}

function timeZones(): readonly string[] {
  const newer = NEWER_NAMES.filter((name) => isTimeZone(name));
  return [...new Set([...Intl.supportedValuesOf('timeZone'), ...newer])].toSorted();
}
