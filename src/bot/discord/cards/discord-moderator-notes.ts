import type { Client } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import { button, buttonRow } from '../words/replies/buttons.ts';
import { CARD_ACTIONS } from '../words/replies/card-buttons.ts';
import { messageUrl } from '../words/replies/desk-replies.ts';
import { type MessageBody, MessageCalls } from '../wire/message-calls.ts';
import { COLOURS, messageBody } from '../words/replies/replies.ts';
import type { RequestGuard } from '../wire/request-guard.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';
import { CAPABILITY_NAMES } from '../words/texts.ts';
import type { ModeratorNotes, ReportNote } from '../../jobs/desk/moderator-notes.ts';

interface DiscordModeratorNotesOptions {
  readonly client: Client;
  readonly guard?: RequestGuard;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the channel for notes to a guild's moderators, or null if the guild has none. */
  readonly channelOf: (guildId: string) => Promise<string | null>;
}

const DEADLINE_MS = 15_000;

/**
 * Notifies a guild's moderators of reports, in the channel chosen for that, with a button that deletes the result.
 */
export class DiscordModeratorNotes implements ModeratorNotes {
  readonly #options: DiscordModeratorNotesOptions;
  readonly #calls: MessageCalls;

  constructor(options: DiscordModeratorNotesOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options.client.rest, options.guard);
  }

  async notify(note: ReportNote): Promise<boolean> {
    const { clock, channelOf, log } = this.#options;
    const channelId = await channelOf(note.guildId);
    if (channelId === null) return false;
    const nonce = derivedId('note', note.reportId).slice(-25);
    const message = { body: noteBody(note), files: [] };
    try {
      await withDeadline(clock, DEADLINE_MS, (signal) =>
        this.#calls.createMessage({ channelId, nonce }, message, signal),
      );
      return true;
    } catch (error) {
      const fields = { guildId: note.guildId, error: withoutRequest(error, 'notify moderators') };
      log.warn(fields, 'Cannot notify the moderators of a report');
      return false;
    }
  }
}

function noteBody({ jobId, capability, ownerId, reporterId, message }: ReportNote): MessageBody {
  const embed = {
    color: COLOURS.refused,
    title: 'A result was reported',
    description: `<@${reporterId}> reported a ${CAPABILITY_NAMES[capability]} that <@${ownerId}> asked for. Look at it, and delete it if it should not be there.`,
    fields: message === null ? [] : [{ name: 'Card', value: messageUrl(message) }],
  };
  const remove = button('danger', 'Delete the result', CARD_ACTIONS.delete, jobId);
  return messageBody(embed, '', [buttonRow(remove)]);
}
