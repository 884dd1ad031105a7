import { unreachable } from '../../../../base/errors.ts';
import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import { type Notice, notice } from './notice.ts';
import { durationText, momentText } from '../texts.ts';

/** Explains which server rule, or which member's decision, forbids a command. */
export function accessNotice(refusal: AccessRefusal): Notice {
  switch (refusal.rule) {
    case 'blocked':
      return notice(
        'Not open to you here',
        'The admins of this server have blocked you from using this bot here.',
        'If you think that is a mistake, ask one of them.',
      );
    case 'capability':
      return notice(
        'Switched off here',
        'The admins of this server have switched this command off.',
        'Ask one of them if you would like to have it.',
      );
    case 'channel':
      return notice(
        'Not in this channel',
        'This bot may not be used in this channel.',
        refusal.allowedIds.length === 0
          ? 'Use it in another channel.'
          : `It may be used in ${listOf(refusal.allowedIds.map((id) => `<#${id}>`))}.`,
      );
    case 'role':
      return notice(
        'Not open to your roles',
        'The admins of this server let only some roles use this bot.',
        refusal.neededIds.length === 0
          ? 'One of your roles is shut out; an admin can change that.'
          : `You need one of these roles: ${listOf(refusal.neededIds.map((id) => `<@&${id}>`))}.`,
      );
    case 'age_restricted':
      return notice(
        'Age-restricted channels only',
        'This bot may be used only in channels that are marked as age-restricted.',
        'Use it in such a channel, or ask an admin which one.',
      );
    case 'cooldown':
      return notice(
        'A moment, please',
        `There is a pause of ${durationText(refusal.seconds * 1000)} between two commands of one member here.`,
        `You can start the next one ${momentText(refusal.endsAtMs, 'R')}.`,
      );
    case 'concurrent':
      return notice(
        'Yours are still running',
        refusal.max === 1
          ? 'Each member may have one running at a time here.'
          : `Each member may have ${refusal.max} running at a time here.`,
        'Wait until one of yours is done, then send the command again.',
      );
    case 'face_gone':
    case 'own_never_swap':
    case 'never_swap':
    case 'avatar_not_allowed':
    case 'owner_gone':
      return personNotice(refusal);
    default:
      return unreachable(refusal);
  }
}

type PersonRefusal = Extract<AccessRefusal, { rule: PersonRule }>;
type PersonRule = 'face_gone' | 'own_never_swap' | 'never_swap' | 'avatar_not_allowed' | 'owner_gone';

function personNotice(refusal: PersonRefusal): Notice {
  switch (refusal.rule) {
    case 'face_gone':
      return notice(
        'Saved face not found',
        'There is no such face among the ones you saved.',
        'See yours with `/face list`, or save one with `/face save`.',
      );
    case 'own_never_swap':
      return notice(
        'Your face is never swapped',
        'You chose that your face is never swapped, so your saved faces rest.',
        'To change that, use `/privacy never-swap`.',
      );
    case 'never_swap':
      return notice(
        'Not with this face',
        `This picture is of <@${refusal.ownerId}>, who wants theirs never to be used.`,
        'Please respect that, and use another picture.',
      );
    case 'avatar_not_allowed':
      return notice(
        'Not allowed yet',
        `This avatar is of <@${refusal.ownerId}>, who has not allowed its use here.`,
        'Ask them with `/face ask`; they can take it back at any time.',
      );
    case 'owner_gone':
      return notice(
        'Not with this picture',
        'It is made from a picture of a member who had their data deleted.',
        'Please use another picture.',
      );
    default:
      return unreachable(refusal);
  }
}

/** Returns a list such as "a, b and c". */
function listOf(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
