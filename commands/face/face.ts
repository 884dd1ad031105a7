import { button, buttonRow } from '../../src/bot/discord/words/replies/buttons.ts';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
} from '../../src/bot/discord/command.ts';
import { quotedText } from '../../src/bot/discord/words/plain-text.ts';
import { COLOURS, doneReply, messageBody } from '../../src/bot/discord/words/replies/replies.ts';
import { faceAsk } from './face-ask.ts';
import { faceAvatar } from './face-avatar.ts';
import { FACE_ACTIONS } from './face-buttons.ts';
import { FACE_DATA } from './face-data.ts';
import { faceList } from './face-list.ts';

/** `/face` manages the faces that a member saved, and who may use the member's avatar. */
export const face: Command = {
  data: FACE_DATA,
  // Other members see only the question of `/face ask`.
  answer: ({ subcommand }) => (subcommand === 'ask' ? 'public' : 'private'),

  execute(call, services) {
    const run = SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /face ${call.subcommand}`);
    return run(call, services);
  },

  complete: (call, { faces }) => faces.suggest(call.origin.userId, call.typed),
};

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;

const SUBCOMMANDS: Readonly<Record<string, Run>> = {
  save,
  list: faceList,
  avatar: faceAvatar,
  ask: faceAsk,
  default: async (call, { faces }) => {
    const { name } = await faces.makeDefault(call.origin.userId, nameOf(call));
    return doneReply(
      'Default face set',
      `**${quotedText(name, 32)}** is used whenever you name no other face.`,
    );
  },
  delete: async (call, { faces }) => {
    const { name } = await faces.delete(call.origin.userId, nameOf(call));
    return doneReply('Face deleted', `**${quotedText(name, 32)}** and its picture are gone.`);
  },
};

/** Stores the URL of the picture. The picture is fetched once the member has confirmed that they may use it. */
async function save(call: CommandCall, { faces }: CommandServices): Promise<CommandResult> {
  const picture = call.attachments.get('picture');
  if (!picture) throw new TypeError('Cannot save a face without a picture');
  const { url, sizeBytes } = picture;
  const { faceId, attestation } = await faces.begin(call.origin.userId, {
    name: nameOf(call),
    url,
    sizeBytes,
  });
  const embed = { color: COLOURS.working, title: 'May you use this face?', description: attestation.text };
  const buttons = buttonRow(
    button('success', 'I may use this face', FACE_ACTIONS.keep, faceId),
    button('secondary', 'Cancel', FACE_ACTIONS.drop, faceId),
  );
  return { kind: 'reply', reply: messageBody(embed, '', [buttons]) };
}

function nameOf(call: CommandCall): string {
  return call.texts.get('name') ?? '';
}
