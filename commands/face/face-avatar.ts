import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';

/** `/face avatar` shows or sets who may use the member's avatar in this server. */
export async function faceAvatar(
  { origin, texts }: CommandCall,
  { consents }: CommandServices,
): Promise<CommandResult> {
  const userId = texts.get('member');
  switch (texts.get('who') ?? 'nobody') {
    case 'everybody':
      await consents.answerAvatar(origin, { allow: 'everybody' });
      return doneReply('Your avatar may be used here', consents.texts.avatar.text);
    case 'user':
      if (userId === undefined) {
        return { kind: 'reply', reply: sentenceReply('Please choose the member in `member` as well.') };
      }
      await consents.answerAvatar(origin, { allow: 'user', userId });
      return doneReply(
        'Your avatar may be used',
        `<@${userId}> may use your avatar as a face in AI-altered pictures and videos in this server. You can take that back at any time with \`/face avatar\`.`,
      );
    default:
      await consents.answerAvatar(origin, { allow: 'nobody' });
      return doneReply('Your avatar is yours', 'Nobody else may use it in this server.');
  }
}
