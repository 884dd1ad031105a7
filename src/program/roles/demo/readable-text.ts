import { z } from 'zod';
import type { MessageView } from '../../../sandbox/script/message-view.ts';

const card = z.object({
  title: z.string().default(''),
  description: z.string().default(''),
  fields: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  footer: z.object({ text: z.string() }).optional(),
});

const row = z.object({ components: z.array(z.object({ label: z.string().optional() })).default([]) });

const MOMENT = /<t:(\d+):([FR])>/g;
const MENTION = /<([@#])(\d+)>/g;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Returns the visible lines of a message. Fields that are displayed side by side share a line. */
export function cardLines(message: MessageView): string[] {
  const cards = message.embeds.map((embed) => card.parse(embed));
  const lines = cards.flatMap(({ title, description, fields, footer }) => [
    title,
    ...description.split('\n'),
    fields.map(({ name, value }) => `${name}: ${value}`).join('   '),
    ...message.attachments.map(({ filename, size }) => `[${filename}, ${Math.round(size / 1024)} kB]`),
    footer?.text ?? '',
  ]);
  const buttons = message.components.flatMap((each) => row.parse(each).components);
  const labels = buttons.flatMap(({ label }) => (label === undefined ? [] : [`[ ${label} ]`]));
  return [message.content, ...lines, labels.join(' ')].filter((line) => line !== '');
}

/** Returns the titles of all cards in a message, as one line. */
export function titleOf(message: MessageView): string {
  return message.embeds.map((embed) => card.parse(embed).title).join(', ');
}

/** Replaces Discord markup with the text that a reader sees, such as a date for a timestamp. */
export function readableText(text: string, names: ReadonlyMap<string, string>, nowMs: number): string {
  return text
    .replace(MOMENT, (_all, seconds: string, style: string) => {
      const atMs = Number(seconds) * 1000;
      return style === 'R' ? relative(atMs - nowMs) : new Date(atMs).toUTCString();
    })
    .replace(MENTION, (_all, sign: string, id: string) => `${sign}${names.get(id) ?? id}`)
    .replaceAll('**', '')
    .replaceAll('`', '');
}

function relative(differenceMs: number): string {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const [unit, lengthMs] = UNITS.find(([, length]) => Math.abs(differenceMs) >= length) ?? ['second', 1_000];
  return format.format(Math.round(differenceMs / lengthMs), unit);
}
