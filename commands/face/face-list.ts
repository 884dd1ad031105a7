import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { quotedText } from '../../src/bot/discord/words/plain-text.ts';
import { COLOURS, doneReply, messageBody } from '../../src/bot/discord/words/replies/replies.ts';

/** `/face list` shows the name, the date and a small picture of each saved face. */
export async function faceList(
  { origin }: CommandCall,
  { faces, consents }: CommandServices,
): Promise<CommandResult> {
  const list = await faces.list(origin.userId);
  if (list.length === 0) {
    return doneReply('No saved faces', 'Save one with `/face save`, and you need not attach it every time.');
  }
  const rests = (await consents.neverSwapSinceMs(origin.userId)) !== null;
  const previews = await faces.previews(list);
  const lines = list.map(({ name, isDefault, savedAtMs }) => {
    const since = `saved <t:${Math.floor(savedAtMs / 1000)}:D>`;
    return `- **${quotedText(name, 32)}**${isDefault ? ' (default)' : ''}, ${since}`;
  });
  const note = rests ? ['', 'They rest, since you chose that your face is never swapped.'] : [];
  const embed = {
    color: COLOURS.done,
    title: 'Your saved faces',
    description: [...lines, ...note].join('\n'),
  };
  return {
    kind: 'reply',
    reply: {
      ...messageBody(embed),
      attachments: previews.map(({ face }, index) => ({
        id: String(index),
        filename: `face-${index + 1}.jpg`,
        description: face.name,
      })),
    },
    files: previews.map(({ bytes }, index) => ({
      name: `face-${index + 1}.jpg`,
      data: Buffer.from(bytes),
      contentType: 'image/jpeg',
    })),
  };
}
