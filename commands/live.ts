import { ApplicationCommandOptionType } from 'discord.js';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
  IN_SERVERS_ONLY,
  attachmentOption,
} from '../src/bot/discord/command.ts';
import { SAVED_FACE_OPTION } from '../src/bot/discord/words/forms/job-form.ts';
import { liveLinkReply, liveStatusReply } from '../src/bot/discord/words/replies/live-replies.ts';
import { sentenceReply } from '../src/bot/discord/words/replies/replies.ts';
import type { RequestedFace } from '../src/bot/sessions/live-swap/live-swap-request.ts';

const { Integer, String: Text, Subcommand } = ApplicationCommandOptionType;

const NOTHING_ON = 'You are not live, and have no link that waits. Get one with `/live start`.';
const FACE_TWICE = 'Give either a picture in `face` or one of your faces in `saved_face`, not both.';
const NO_PICTURE = 'The file in `face` is no picture. Attach a JPEG, PNG or WebP picture.';

/** `/live start` gives the member a link to a page in their browser, on which they wear another face live. */
export const live: Command = {
  data: {
    name: 'live',
    description: 'Wear another face live, in your browser and from there in a call',
    ...IN_SERVERS_ONLY,
    options: [
      {
        type: Subcommand,
        name: 'start',
        description: 'Get a private link to your page; it costs nothing before you press Start there',
        options: [
          {
            type: Integer,
            name: 'minutes',
            description: 'For how long at most, 1 to 240',
            required: true,
            min_value: 1,
            max_value: 240,
          },
          {
            type: Text,
            name: 'prompt',
            description: 'Who you want to look like; the service has its own default',
            max_length: 2_000,
          },
          attachmentOption('face', 'A picture of the face to wear', 'image', false),
          {
            type: Text,
            name: SAVED_FACE_OPTION,
            description: 'One of your saved faces, in place of a file in face',
            max_length: 100,
            autocomplete: true,
          },
        ],
      },
      { type: Subcommand, name: 'stop', description: 'End yours, or make its link useless' },
      {
        type: Subcommand,
        name: 'status',
        description: 'See how yours stands: time, cost, and what the service understood',
      },
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /live ${call.subcommand}`);
    return run(call, services);
  },

  complete: ({ option, typed, origin }, { faces }) =>
    option === SAVED_FACE_OPTION ? faces.suggest(origin.userId, typed) : Promise.resolve([]),
};

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;

const SUBCOMMANDS: Readonly<Record<string, Run>> = {
  start: async (call, { liveSwap }) => {
    const face = readFace(call);
    if (typeof face === 'string') return told(face);
    const request = { minutes: call.numbers.get('minutes') ?? 0, prompt: call.texts.get('prompt'), face };
    return { kind: 'reply', reply: liveLinkReply(await liveSwap.start(call.origin, request)) };
  },
  stop: async ({ origin }, { liveSwap }) => {
    const view = await liveSwap.stop(origin);
    return view ? { kind: 'reply', reply: liveStatusReply(view) } : told(NOTHING_ON);
  },
  status: async ({ origin }, { liveSwap }) => {
    const view = await liveSwap.status(origin);
    return view ? { kind: 'reply', reply: liveStatusReply(view) } : told(NOTHING_ON);
  },
};

/** Reads the face that the member chose. Returns a message for the member if the choice is not valid. */
function readFace({ attachments, texts }: CommandCall): RequestedFace | undefined | string {
  const file = attachments.get('face');
  const nameOrId = texts.get(SAVED_FACE_OPTION);
  if (file && nameOrId !== undefined) return FACE_TWICE;
  if (nameOrId !== undefined) return { from: 'saved', nameOrId };
  if (!file) return undefined;
  const isPicture = file.contentType === null || file.contentType.startsWith('image/');
  return isPicture ? { from: 'file', url: file.url, sizeBytes: file.sizeBytes } : NO_PICTURE;
}

function told(sentence: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(sentence) };
}
