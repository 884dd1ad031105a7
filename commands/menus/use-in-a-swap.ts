import { ApplicationCommandType } from 'discord.js';
import { kindOfMime } from '../../src/base/media-type.ts';
import { IN_SERVERS_ONLY, type MenuCommand, type TargetMessage } from '../../src/bot/discord/command.ts';
import type { PickedFile } from '../../src/bot/jobs/inputs/inputs.ts';
import { RESULT_GONE, say } from './pick-replies.ts';
import { startPick } from './start-pick.ts';

/** The maximum number of attachments that Discord allows in one message. */
const FILES_MAX = 10;

const NOTHING_THERE =
  'There is no picture, video or recording attached to this message. Choose a message with one.';

/**
 * The entry "Use in a swap" in a message's context menu. It uses the attached files, or the result that the message
 * shows.
 */
export const useInASwap: MenuCommand = {
  data: { type: ApplicationCommandType.Message, name: 'Use in a swap', ...IN_SERVERS_ONLY },
  answer: 'private',

  async execute({ origin, target }, services) {
    if (target.kind !== 'message') throw new TypeError('Cannot use a message: the target is a member');
    // Checks first whether the message is a result's card, because a card may show the result as a link or in an embed,
    // without an attachment.
    const result = await services.results.ofMessage(origin, target.id);
    const files = result ? [result] : filesOf(target);
    if (files.length === 0) return say(result === undefined ? RESULT_GONE : NOTHING_THERE);
    if (!result && (await services.consents.neverSwapSinceMs(target.authorId)) !== null) {
      return say(target.authorId === origin.userId ? OWN_NEVER : notWith(target.authorId));
    }
    return startPick(origin, files, services);
  },
};

const OWN_NEVER =
  'You chose that your face is never swapped, and so nothing you post is. To change that, use `/privacy never-swap`.';

function notWith(authorId: string): string {
  return `<@${authorId}> wants nothing of theirs to be used in swaps. Please respect that, and choose another message.`;
}

function filesOf({ id: messageId, attachments, authorId, isOwn }: TargetMessage): readonly PickedFile[] {
  const files = attachments.flatMap(({ name, url, sizeBytes, contentType }): PickedFile[] => {
    const kind = kindOfMime(contentType ?? '');
    const postedIn = { messageId, authorId, isOwn };
    return kind ? [{ kind, name, source: { from: 'chat', url, sizeBytes, postedIn } }] : [];
  });
  return files.slice(0, FILES_MAX);
}
