const MOMENT = /<t:(\d+):([FR])>/g;
const MENTION = /<@(\d+)>/g;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Discord's markup as a reader would see it: moments and mentions in words, no asterisks. */
export function readableText(text: string, names: ReadonlyMap<string, string>, nowMs: number): string {
  return text
    .replace(MOMENT, (_all, seconds: string, style: string) => {
      const atMs = Number(seconds) * 1000;
      return style === 'R' ? relative(atMs - nowMs) : new Date(atMs).toUTCString();
    })
    .replace(MENTION, (_all, id: string) => `@${names.get(id) ?? id}`)
    .replaceAll('**', '')
    .replaceAll('`', '');
}

function relative(differenceMs: number): string {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const [unit, lengthMs] = UNITS.find(([, length]) => Math.abs(differenceMs) >= length) ?? ['second', 1_000];
  return format.format(Math.round(differenceMs / lengthMs), unit);
}
