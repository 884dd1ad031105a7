import { ApplicationCommandOptionType } from 'discord.js';
import { button, buttonRow } from '../../src/bot/discord/words/replies/buttons.ts';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
  IN_SERVERS_ONLY,
} from '../../src/bot/discord/command.ts';
import { COLOURS, doneReply, messageBody } from '../../src/bot/discord/words/replies/replies.ts';
import { PRIVACY_ACTIONS } from './privacy-buttons.ts';
import { privacySee } from './privacy-see.ts';

const { Boolean: Flag, Subcommand } = ApplicationCommandOptionType;

/** `/privacy` lets members see, export and remove what is stored about them. */
export const privacy: Command = {
  data: {
    name: 'privacy',
    description: 'See, export or delete what is stored about you',
    ...IN_SERVERS_ONLY,
    options: [
      { type: Subcommand, name: 'see', description: 'See what is stored about you' },
      { type: Subcommand, name: 'export', description: 'Get what is stored about you as a file' },
      { type: Subcommand, name: 'delete', description: 'Delete what is stored about you' },
      {
        type: Subcommand,
        name: 'never-swap',
        description: 'Choose whether your face may be swapped at all',
        options: [{ type: Flag, name: 'on', description: 'True: my face is never swapped', required: true }],
      },
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /privacy ${call.subcommand}`);
    return run(call, services);
  },
};

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;

const SUBCOMMANDS: Readonly<Record<string, Run>> = {
  see: privacySee,
  export: exportData,
  delete: () => Promise.resolve(askBeforeDeletion()),
  'never-swap': neverSwap,
};

async function exportData(
  { origin: { userId } }: CommandCall,
  { privacy }: CommandServices,
): Promise<CommandResult> {
  const file = { name: 'my-data.json', data: await privacy.export(userId), contentType: 'application/json' };
  const embed = {
    color: COLOURS.done,
    title: 'Your data',
    description:
      'The file holds what is stored about you. Your results are in the messages where they were posted, your saved faces in `/face list`.',
  };
  const attachments = [{ id: '0', filename: file.name, description: 'What is stored about you' }];
  return { kind: 'reply', reply: { ...messageBody(embed), attachments }, files: [file] };
}

function askBeforeDeletion(): CommandResult {
  const embed = {
    color: COLOURS.failed,
    title: 'Delete your data?',
    description: [
      'In all servers with this bot, this deletes your results and the messages that show them, your saved faces, your files, and what you allowed others. What has not been started yet is cancelled.',
      'Messages that Discord does not let the bot delete are listed in `/privacy see`. The bot cannot delete what was uploaded to the media service: the service keeps it by its own rules.',
      'What your commands cost stays in the books of the server, without your name. What you have used of your limits still counts until they reset. Blocks, and limits that admins set for you, stay. This cannot be undone.',
    ].join('\n'),
  };
  const buttons = buttonRow(
    button('danger', 'Delete everything', PRIVACY_ACTIONS.delete, 'all'),
    button('danger', 'Delete, and never swap my face', PRIVACY_ACTIONS.delete, 'never-swap'),
    button('secondary', 'Cancel', PRIVACY_ACTIONS.keep),
  );
  return { kind: 'reply', reply: messageBody(embed, '', [buttons]) };
}

async function neverSwap(
  { origin: { userId }, flags }: CommandCall,
  { consents, faces }: CommandServices,
): Promise<CommandResult> {
  const on = flags.get('on') ?? true;
  await consents.setNeverSwap(userId, on);
  if (!on) return doneReply('Your face may be swapped again', 'Your saved faces can be used as before.');
  const saved = await faces.list(userId);
  const embed = {
    color: COLOURS.done,
    title: 'Your face is never swapped',
    description: consents.texts.neverSwap.text,
  };
  const buttons = buttonRow(button('danger', 'Delete my saved faces too', PRIVACY_ACTIONS.clearFaces));
  return { kind: 'reply', reply: messageBody(embed, '', saved.length > 0 ? [buttons] : []) };
}
