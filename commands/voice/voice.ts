import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ChannelType,
} from 'discord.js';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
  IN_SERVERS_ONLY,
} from '../../src/bot/discord/command.ts';
import { suggestVoiceValues, readVoiceValue } from '../../src/bot/discord/words/forms/voice-values.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import { joinedReply } from '../../src/bot/discord/words/replies/joined-reply.ts';
import { voiceStatus } from '../../src/bot/discord/words/replies/voice-panel.ts';

const { Channel, Integer, String: Text, Subcommand, User } = ApplicationCommandOptionType;

const MINUTES_DEFAULT = 10;
const UNKNOWN_VOICE =
  'The media service does not have that voice. Choose one from the list that shows while you type.';
const NOTHING_ON = 'No voice conversion is on in this server. Start one with `/voice start`.';

const VOICE: APIApplicationCommandBasicOption = {
  type: Text,
  name: 'voice',
  description: 'What you are heard as; "No change" passes your own voice through the service',
  required: true,
  autocomplete: true,
};

function sub(
  name: string,
  description: string,
  options: readonly APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandSubcommandOption {
  return { type: Subcommand, name, description, options: [...options] };
}

/** `/voice` converts the speech of members in a voice channel to another voice, if they have agreed to that. */
export const voice: Command = {
  data: {
    name: 'voice',
    description: 'Speak with another voice in a voice channel, live',
    ...IN_SERVERS_ONLY,
    options: [
      sub('start', 'Let the bot join your voice channel and convert your speech', [
        VOICE,
        {
          type: Integer,
          name: 'minutes',
          description: `For how long, 1 to 120; ${MINUTES_DEFAULT} when left out`,
          min_value: 1,
          max_value: 120,
        },
        {
          type: Channel,
          name: 'stage',
          description: 'For moderators: another channel, where a second bot speaks what is said in yours',
          channel_types: [ChannelType.GuildVoice, ChannelType.GuildStageVoice],
        },
      ]),
      sub('join', 'Speak with another voice too, or change yours', [VOICE]),
      sub('leave', 'Not be heard by the bot any more', [
        { type: User, name: 'member', description: 'For moderators: whom to take out instead of yourself' },
      ]),
      sub('stop', 'End it for everybody'),
      sub('status', 'See who speaks as what, what it costs, and when it ends'),
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /voice ${call.subcommand}`);
    return run(call, services);
  },

  complete: ({ typed }, { voices }) => Promise.resolve(suggestVoiceValues(voices.list ?? [], typed)),
};

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;

const SUBCOMMANDS: Readonly<Record<string, Run>> = {
  start: async (call, services) => {
    const choice = readVoiceValue(services.voices.list ?? [], call.texts.get('voice') ?? '');
    if (!choice) return told(UNKNOWN_VOICE);
    const minutes = call.numbers.get('minutes') ?? MINUTES_DEFAULT;
    const joined = await services.voice.start(call.origin, {
      ...choice,
      minutes,
      stageChannelId: call.texts.get('stage'),
    });
    return { kind: 'reply', reply: joinedReply(joined) };
  },
  join: async (call, services) => {
    const choice = readVoiceValue(services.voices.list ?? [], call.texts.get('voice') ?? '');
    if (!choice) return told(UNKNOWN_VOICE);
    return { kind: 'reply', reply: joinedReply(await services.voice.join(call.origin, choice)) };
  },
  leave: async ({ origin, texts }, services) => {
    const memberId = texts.get('member') ?? origin.userId;
    const wasIn = await services.voice.leave(origin, memberId);
    if (memberId !== origin.userId) {
      return doneReply('Taken out', `<@${memberId}> is not listened to, and cannot join this one any more.`);
    }
    return doneReply(
      wasIn ? 'You have left' : 'You were not in it',
      'Nothing that you say is listened to by the bot.',
    );
  },
  stop: async ({ origin }, services) => {
    await services.voice.stop(origin);
    return doneReply('Voice conversion stopped', 'Nobody is heard by the bot any more.');
  },
  status: async ({ origin }, services) => {
    const view = await services.voice.status(origin.guildId);
    return view ? { kind: 'reply', reply: voiceStatus(view) } : told(NOTHING_ON);
  },
};

function told(sentence: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(sentence) };
}
