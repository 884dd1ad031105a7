import type { ResultCard } from '../../../jobs/cards.ts';
import { momentText } from '../texts.ts';
import { type Notice, notice } from './notice.ts';

/** Explains how to get the whole result; empty if the result is attached unchanged. */
export function keptNotice({
  file,
  isSmaller,
  link,
}: Pick<ResultCard, 'file' | 'isSmaller' | 'link'>): string {
  if (file !== null && !isSmaller) return '';
  const happened =
    file === null
      ? 'The result is ready, but larger than Discord lets a bot post here.'
      : 'This copy was made smaller, so that Discord takes it here.';
  const next =
    link === null
      ? 'It is kept in full. Ask whoever runs this bot for it, and name the reference below.'
      : `The link below is good until ${momentText(link.expiresAtMs, 'F')}; after that \`/jobs show\` makes a new one.`;
  return `${happened}\n${next}`;
}

/** Explains that a filter in Discord rejects a result. */
export function heldBackNotice(): Notice {
  return notice(
    'Result held back',
    "The result is ready, but a filter of Discord or of this server doesn't let it be posted here.",
    'It is kept: `/jobs show` brings it to you alone.',
  );
}
