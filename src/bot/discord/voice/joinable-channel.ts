import {
  ChannelType,
  type Client,
  GatewayIntentBits,
  type Guild,
  PermissionFlagsBits,
  type PermissionsBitField,
  type StageChannel,
  type VoiceChannel,
} from 'discord.js';
import { VoiceError } from '../../sessions/voice-swap/voice-error.ts';
import type { VoicePlace } from '../../sessions/voice-swap/voice-connector.ts';

export type JoinableChannel = VoiceChannel | StageChannel;

const NAMES = {
  ViewChannel: 'View Channel',
  Connect: 'Connect',
  Speak: 'Speak',
} as const;

type Needed = keyof typeof NAMES;

const OF_VOICE: readonly Needed[] = ['ViewChannel', 'Connect', 'Speak'];
const OF_STAGE: readonly Needed[] = ['ViewChannel', 'Connect'];

/**
 * Returns the channel if the bot may join it now and be heard there. Otherwise throws `VoiceError` with a `userMessage`
 * that explains what to do.
 */
export function joinableChannel(client: Client<true>, { guildId, channelId }: VoicePlace): JoinableChannel {
  demandIntent(client);
  const guild = client.guilds.cache.get(guildId);
  const channel = guild?.channels.cache.get(channelId);
  if (channel?.type !== ChannelType.GuildVoice && channel?.type !== ChannelType.GuildStageVoice) {
    throw new VoiceError('gone', 'Cannot join: there is no such voice channel', {
      userMessage: 'That voice channel does not exist any more, or I may not see it.',
    });
  }
  const permissions = channel.permissionsFor(client.user);
  demandPermissions(channel, permissions);
  demandNoTimeOut(channel.guild);
  demandRoom(channel, client.user.id, permissions);
  if (channel.type === ChannelType.GuildStageVoice) demandStage(permissions);
  return channel;
}

/**
 * Throws `VoiceError` if the client lacks the intent without which Discord sends no voice states, not even the bot's
 * own.
 */
function demandIntent({ options }: Client<true>): void {
  if (options.intents.has(GatewayIntentBits.GuildVoiceStates)) return;
  throw new VoiceError('unreachable', 'Cannot join: the client lacks the intent GuildVoiceStates', {
    userMessage:
      'I cannot use voice: whoever runs me has to give my connection to Discord the intent **GuildVoiceStates**.',
  });
}

/** Throws `VoiceError` if a moderator has muted or deafened the bot, which can only be known after it has joined. */
export function demandFreeVoice({ guild, id }: JoinableChannel): void {
  const own = guild.members.me?.voice;
  const what = own?.serverMute === true ? 'muted' : own?.serverDeaf === true ? 'deafened' : null;
  if (what === null) return;
  throw new VoiceError('forbidden', `Cannot stay: the bot is ${what} by the server`, {
    userMessage: `A moderator has ${what} me in this server. Undo that in <#${id}> with a right click on my name.`,
  });
}

function demandPermissions(channel: JoinableChannel, permissions: PermissionsBitField | null): void {
  const needed = channel.type === ChannelType.GuildVoice ? OF_VOICE : OF_STAGE;
  const missing = needed.filter((name) => permissions?.has(PermissionFlagsBits[name]) !== true);
  if (missing.length === 0) return;
  const names = missing.map((name) => `**${NAMES[name]}**`).join(', ');
  throw new VoiceError('forbidden', `Cannot join: the bot lacks ${missing.join(', ')}`, {
    userMessage: `I lack permissions in <#${channel.id}>: ${names}. An admin can grant them in the channel's settings under Permissions.`,
  });
}

function demandNoTimeOut(guild: Guild): void {
  if (guild.members.me?.isCommunicationDisabled() !== true) return;
  throw new VoiceError('forbidden', 'Cannot join: the bot is timed out', {
    userMessage: 'I am timed out in this server and cannot speak. A moderator can remove my timeout.',
  });
}

/**
 * Throws `VoiceError` if the channel is full. Counts voice states, because discord.js counts only the members in its
 * cache.
 */
function demandRoom(channel: JoinableChannel, ownId: string, permissions: PermissionsBitField | null): void {
  const { userLimit, guild, id } = channel;
  if (userLimit === 0 || permissions?.has(PermissionFlagsBits.MoveMembers) === true) return;
  const others = guild.voiceStates.cache.filter((state) => state.channelId === id && state.id !== ownId);
  if (others.size < userLimit) return;
  throw new VoiceError('full', `Cannot join: the channel has its ${userLimit} members`, {
    userMessage: `<#${id}> is full. Raise its user limit, or grant me **Move Members** there so that I may join anyway.`,
  });
}

function demandStage(permissions: PermissionsBitField | null): void {
  const maySpeak =
    permissions?.has(PermissionFlagsBits.MuteMembers) === true ||
    permissions?.has(PermissionFlagsBits.RequestToSpeak) === true;
  if (maySpeak) return;
  throw new VoiceError(
    'forbidden',
    'Cannot join: the bot may neither speak on the stage nor request to speak',
    {
      userMessage:
        'I may not speak on this stage. An admin can grant me **Mute Members** there, so that I speak at once, or **Request to Speak**.',
    },
  );
}
