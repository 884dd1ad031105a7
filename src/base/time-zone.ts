/** Names in use that this system may list under an older one. */
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
 * Whether this system knows a time zone of that name. Mere offsets such as `+05:17` are no names: days that begin at
 * any minute are nobody's calendar.
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

/** The time zone that somebody typed, however they wrote it; undefined when there is none. */
export function timeZoneNamed(text: string): string | undefined {
  const typed = text.trim().replaceAll(' ', '_');
  const listed = timeZones().find((name) => name.toLowerCase() === typed.toLowerCase());
  return listed ?? (isTimeZone(typed) ? typed : undefined);
}

/** The names of time zones that hold `text`, those of which a part begins with it first; at most `limit`. */
export function findTimeZones(text: string, limit: number): readonly string[] {
  const typed = text.trim().replaceAll(' ', '_').toLowerCase();
  const found = timeZones().filter((name) => name.toLowerCase().includes(typed));
  const isStart = (name: string): boolean => `/${name.toLowerCase()}`.includes(`/${typed}`);
  return [...found.filter(isStart), ...found.filter((name) => !isStart(name))].slice(0, limit);
}

/** Such as "14:05", what clocks in the zone show. */
export function clockTime(timeZone: string, atMs: number): string {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-GB', options).format(atMs);
}

/** Such as "Tuesday 1 December 2026 at 10:00", by the clocks of the zone. */
export function zonedMoment(timeZone: string, atMs: number): string {
  const date = { timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const day = new Intl.DateTimeFormat('en-GB', date).format(atMs).replace(',', '');
  return `${day} at ${clockTime(timeZone, atMs)}`;
}

function timeZones(): readonly string[] {
  const newer = NEWER_NAMES.filter((name) => isTimeZone(name));
  return [...new Set([...Intl.supportedValuesOf('timeZone'), ...newer])].toSorted();
}
