import { button, buttonRow } from '../../src/bot/discord/words/replies/buttons.ts';
import type {
  CommandCall,
  CommandResult,
  CommandServices,
  Component,
} from '../../src/bot/discord/command.ts';
import {
  COLOURS,
  doneReply,
  messageBody,
  sentenceReply,
} from '../../src/bot/discord/words/replies/replies.ts';

const ACTION = 'avatar-ask';

/**
 * `/face ask` asks a member in the channel to allow the use of their avatar, with buttons that only that member can
 * press.
 */
export async function faceAsk(
  { origin, texts }: CommandCall,
  { consents }: CommandServices,
): Promise<CommandResult> {
  const { guildId, userId } = origin;
  const ownerId = texts.get('member') ?? '';
  if (ownerId === userId) return whisper('You may always use your own avatar: nobody needs to be asked.');
  if ((await consents.neverSwapSinceMs(ownerId)) !== null) {
    return whisper(`<@${ownerId}> wants their face never to be swapped. Please respect that.`);
  }
  if (await consents.mayUseAvatar(guildId, ownerId, userId)) {
    return whisper(`You may use the avatar of <@${ownerId}> already.`);
  }
  const embed = {
    color: COLOURS.working,
    title: 'May your avatar be used?',
    description: [
      `<@${ownerId}>: <@${userId}> would like to use your avatar as a face in AI-altered pictures and videos in this server.`,
      'You can take that back at any time with `/face avatar`.',
    ].join('\n'),
  };
  const buttons = buttonRow(
    button('success', 'Allow', ACTION, 'allow', ownerId, userId),
    button('secondary', 'Not now', ACTION, 'refuse', ownerId, userId),
    button('danger', 'Nobody may use it', ACTION, 'nobody', ownerId, userId),
  );
  return { kind: 'reply', reply: messageBody(embed, '', [buttons]) };
}

/** The buttons that answer the question of `/face ask`. Only the answer of the member who was asked counts. */
export const answerAsk: Component = {
  action: ACTION,
  answer: 'update',
  async execute({ origin, args: [answer, ownerId = '', askerId = ''] }, { consents }) {
    if (origin.userId !== ownerId) return whisper(`Only <@${ownerId}> can answer this.`);
    switch (answer ?? '') {
      case 'allow':
        await consents.answerAvatar(origin, { allow: 'user', userId: askerId });
        return doneReply(
          'Allowed',
          `<@${askerId}> may use the avatar of <@${ownerId}> in this server, until that is taken back with \`/face avatar\`.`,
        );
      case 'nobody':
        await consents.answerAvatar(origin, { allow: 'nobody' });
        return doneReply('Not allowed', `Nobody may use the avatar of <@${ownerId}> in this server.`);
      default:
        return doneReply('Not now', `<@${askerId}> may not use the avatar of <@${ownerId}> for now.`);
    }
  },
};

function whisper(sentence: string): CommandResult {
  return { kind: 'whisper', reply: sentenceReply(sentence) };
}
