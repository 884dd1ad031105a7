import type { APIButtonComponentWithCustomId } from 'discord.js';
import { button, buttonRow } from './buttons.ts';
import type { OfferedVoice } from '../../command.ts';
import type { MessageBody } from '../../wire/message-calls.ts';
import { quotedText } from '../plain-text.ts';
import { COLOURS, messageBody } from './replies.ts';

/** The action of the buttons that turn pages; in the custom id, it is followed by the page to show. */
export const VOICES_ACTION = 'voices';

/** With these limits, and even with every character escaped, a page stays below Discord's limit of 4,096 characters. */
const VOICES_PER_PAGE = 8;
const NAME_LENGTH_MAX = 50;
const DESCRIPTION_LENGTH_MAX = 80;
const LINK_LENGTH_MAX = 200;

const NOT_KNOWN = 'The media service has not said yet which voices it has. Try again in a minute.';
const NONE = 'The media service has no voices to choose from. `/avatar` works all the same, with its own.';

/**
 * Returns one page of the list of voices. The first page is 0; for a page beyond the last, it returns the last page.
 */
export function voicesReply(list: readonly OfferedVoice[] | null, page: number): MessageBody {
  if (!list || list.length === 0) {
    return messageBody({ color: COLOURS.working, title: 'Voices', description: list ? NONE : NOT_KNOWN });
  }
  const pages = Math.ceil(list.length / VOICES_PER_PAGE);
  const shown = Math.min(Math.max(0, page), pages - 1);
  const start = shown * VOICES_PER_PAGE;
  const lines = list.slice(start, start + VOICES_PER_PAGE).map(voiceLine);
  return messageBody(
    {
      color: COLOURS.working,
      title: list.length === 1 ? 'The one voice' : `${list.length} voices`,
      description: `${lines.join('\n')}\n\nChoose one by its name in \`/avatar voice\`.`,
      ...(pages > 1 ? { footer: { text: `Page ${shown + 1} of ${pages}` } } : {}),
    },
    '',
    pages > 1
      ? [
          buttonRow(
            pageButton('Back', shown - 1, shown > 0),
            pageButton('More', shown + 1, shown < pages - 1),
          ),
        ]
      : [],
  );
}

function voiceLine({ name, description, previewUrl }: OfferedVoice): string {
  const about = quotedText(description, DESCRIPTION_LENGTH_MAX);
  return [
    `**${quotedText(name, NAME_LENGTH_MAX) || 'A voice without a name'}**`,
    ...(about === '' ? [] : [about]),
    ...(previewUrl !== null && previewUrl.length <= LINK_LENGTH_MAX
      ? [`[listen](<${inLink(previewUrl)}>)`]
      : []),
  ].join(' · ');
}

/** Escapes the characters that would end a link early. */
function inLink(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll('>', '%3E');
}

function pageButton(label: string, page: number, isThere: boolean): APIButtonComponentWithCustomId {
  // Custom ids must differ within a message, so a disabled button's id contains its label instead of a page.
  return {
    ...button('secondary', label, VOICES_ACTION, isThere ? String(page) : `no-${label}`),
    disabled: !isThere,
  };
}
