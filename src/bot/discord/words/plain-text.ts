import { escapeMarkdown } from 'discord.js';

/** Control characters, and those that turn the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Somebody else's text on one line, at most `lengthMax` UTF-16 units, for places that show it as it is. */
export function plainText(text: string, lengthMax: number): string {
  const line = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  if (line.length <= lengthMax) return line;
  // Cut between characters: half an emoji is refused by Discord.
  let cut = '';
  for (const character of line) {
    if (cut.length + character.length > lengthMax - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** Somebody else's text for a message: no markup, no mention, no link comes of it. */
export function quotedText(text: string, lengthMax: number): string {
  const options = { heading: true, bulletedList: true, numberedList: true, maskedLink: true } as const;
  return escapeMarkdown(plainText(text, lengthMax), options)
    .replace(/[@<]/g, '$&\u200b')
    .replaceAll('://', ':\u200b//');
}
