const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const LANGUAGE = 'en-GB';
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });
const formats: Readonly<Record<string, Intl.DateTimeFormat>> = {
  t: new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'short' }),
  T: new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'medium' }),
  d: new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'short' }),
  D: new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long' }),
  f: new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeStyle: 'short' }),
  F: new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'full', timeStyle: 'short' }),
};

/** Returns a time in the style of `<t:seconds:style>`. Style `R` is relative to now. */
export function timeText(atMs: number, style: string, nowMs: number): string {
  const format = formats[style];
  if (format) return format.format(atMs);
  const seconds = Math.round((atMs - nowMs) / 1000);
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Returns when a message was written: the time, with the day if it is not today. */
export function messageTime(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? timeText(atMs, 't', nowMs) : `${timeText(atMs, 'd', nowMs)} ${timeText(atMs, 't', nowMs)}`;
}
