import { ApplicationCommandOptionType } from 'discord.js';
import { button, buttonRow } from '../src/discord/buttons.ts';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
  IN_SERVERS_ONLY,
  attachmentOption,
} from '../src/discord/command.ts';
import { COLOURS, doneReply, messageBody } from '../src/discord/replies.ts';
import { faceAsk } from './face-ask.ts';
import { faceAvatar } from './face-avatar.ts';
import { FACE_ACTIONS } from './face-buttons.ts';
import { faceList } from './face-list.ts';

const { String: Text, Subcommand, User } = ApplicationCommandOptionType;
const WHICH = { type: Text, name: 'name', required: true, autocomplete: true } as const;

/** `/face`: the faces that a member saved for themselves, and who may use their avatar. */
export const face: Command = {
  data: {
    name: 'face',
    description: 'Faces you saved, and who may use your avatar',
    ...IN_SERVERS_ONLY,
    options: [
      {
        type: Subcommand,
        name: 'save',
        description: 'Save a face to use it again without attaching it',
        options: [
          attachmentOption('picture', 'A picture of the face: large, sharp, from the front', 'image'),
          { type: Text, name: 'name', description: 'What to call it', required: true, max_length: 32 },
        ],
      },
      { type: Subcommand, name: 'list', description: 'See the faces you saved' },
      {
        type: Subcommand,
        name: 'default',
        description: 'Choose the face that is used when you name none',
        options: [{ ...WHICH, description: 'The face to use from now on' }],
      },
      {
        type: Subcommand,
        name: 'delete',
        description: 'Delete a face you saved',
        options: [{ ...WHICH, description: 'The face to delete' }],
      },
      {
        type: Subcommand,
        name: 'avatar',
        description: 'Choose who may use your avatar as a face in this server',
        options: [
          {
            type: Text,
            name: 'who',
            description: 'Who may use it',
            required: true,
            choices: [
              { name: 'Everybody in this server', value: 'everybody' },
              { name: 'One member', value: 'user' },
              { name: 'Nobody', value: 'nobody' },
            ],
          },
          { type: User, name: 'member', description: 'The one member' },
        ],
      },
      {
        type: Subcommand,
        name: 'ask',
        description: 'Ask a member whether you may use their avatar',
        options: [{ type: User, name: 'member', description: 'Whose avatar', required: true }],
      },
    ],
  },
  // Only a question must be seen by somebody else.
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
    return doneReply('This is your face now', `**${name}** is used whenever you name no other face.`);
  },
  delete: async (call, { faces }) => {
    const { name } = await faces.delete(call.origin.userId, nameOf(call));
    return doneReply('Face deleted', `**${name}** and its picture are gone.`);
  },
};

/** Only notes the picture: it is fetched when the member has said that they may use it. */
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
