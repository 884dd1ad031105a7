import { VoiceError } from '../voice-error.ts';
import { VoiceDeskError, type VoiceDeskErrorCode } from './voice-desk-error.ts';

const TEXTS: Readonly<Record<VoiceDeskErrorCode, (channelId: string) => string>> = {
  unavailable: () =>
    'This bot cannot see who is in which voice channel. Whoever runs it must give it the intent `GuildVoiceStates`.',
  not_in_voice: () => 'You are in no voice channel. Join one, then send the command again.',
  busy: () => 'Voice conversion is just starting or ending here. Try again in a moment.',
  already_on: () => 'Voice conversion is on in your channel already. Join it with `/voice join`.',
  elsewhere: (channelId) =>
    `Voice conversion is on in <#${channelId}>, and this bot can be in one voice channel of a server at a time. Go there, or wait until it ends.`,
  nothing_on: () => 'No voice conversion is on in this server. Start one with `/voice start`.',
  unknown_voice: () =>
    'The media service does not have that voice. Choose one from the list that shows while you type.',
  voices_unknown: () => 'The media service has not said yet which voices it has. Try again in a minute.',
  no_voice: () => 'Choose a voice in the menu below, or with `/voice join`.',
  too_fast: () => 'Please wait a moment before you choose again.',
  too_many_sessions: () => 'This bot is in as many voice channels as it can serve. Try again later.',
  too_many_speakers: () => 'As many members as it can carry are in it already. Try again when one has left.',
  no_stage: () =>
    'This bot has no second user that could speak in another channel. Leave `stage` out, or ask whoever runs the bot.',
  same_stage: () => 'The stage must be another channel than the one you are in.',
  not_allowed: () =>
    'Only the one who started it, admins, and those who may move or mute members can stop it. You can leave with `/voice leave`.',
  not_moderator: () => 'Only admins, and those who may move or mute members, can do that.',
  removed: () => 'A moderator took you out of this one. Ask them if you think that is a mistake.',
  not_there: (channelId) => `Join <#${channelId}> first, then press the button or send the command again.`,
  undisclosed: () =>
    'It was not started: nobody could see that voices are converted. Let this bot send messages in this channel or in the voice channel, or set the status of voice channels.',
  outdated: () => 'This is over by now. Join again with `/voice join`, or start anew with `/voice start`.',
  out_of_range: () => 'The time must be a whole number of minutes from 1 to 120.',
  forbidden: () =>
    'This bot may not join your voice channel. It needs the permissions to see it, to connect and to speak there.',
  full: () => 'Your voice channel is full. Let somebody leave, or raise its limit.',
  gone: () => 'Your voice channel is not there any more.',
  unreachable: () => "Discord's voice servers cannot be reached just now. Try again in a minute.",
};

/**
 * Returns the error for a refused request, with a message for the caller. Some messages name the channel `channelId`.
 */
export function refusal(code: VoiceDeskErrorCode, channelId = ''): VoiceDeskError {
  return new VoiceDeskError(code, TEXTS[code](channelId));
}

/** Returns the error for a channel that could not be joined, with a message for the caller. */
export function joinRefusal(error: unknown): VoiceDeskError {
  const code = error instanceof VoiceError ? error.code : 'unreachable';
  const own = error instanceof VoiceError ? error.userMessage : undefined;
  return new VoiceDeskError(code, own ?? TEXTS[code](''), error);
}
