import { ApplicationCommandOptionType } from 'discord.js';
import { type CommandData, IN_SERVERS_ONLY, attachmentOption } from '../../src/bot/discord/command.ts';

const { String: Text, Subcommand, User } = ApplicationCommandOptionType;
const WHICH = { type: Text, name: 'name', required: true, autocomplete: true } as const;

export const FACE_DATA: CommandData = {
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
};
