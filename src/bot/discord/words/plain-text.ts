import { escapeMarkdown } from 'discord.js';

/** Control characters, and characters that change the direction of the surrounding text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * Returns untrusted text on one line, with at most `lengthMax` UTF-16 units, for places that do not render Markdown.
 */
export function plainText(text: string, lengthMax: number): string {
  const line = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  if (line.length <= lengthMax) return line;
  // The cut must be between characters, because Discord refuses half an emoji.
  let cut = '';
  for (const character of line) {
    if (cut.length + character.length > lengthMax - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** Shortens and escapes untrusted text, so that it cannot produce formatting, mentions or links in a message. */
export function quotedText(text: string, lengthMax: number): string {
  const options = { heading: true, bulletedList: true, numberedList: true, maskedLink: true } as const;
  return escapeMarkdown(plainText(text, lengthMax), options)
    .replace(/[@<]/g, '$&\u200b')
    .replaceAll('://', ':\u200b//');
}
