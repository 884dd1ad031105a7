import { ChannelType, type Client, PermissionFlagsBits, Routes } from 'discord.js';
import type { Clock } from '../../../base/clock.ts';
import { withDeadline } from '../../../base/clock.ts';
import { VoiceError } from '../../sessions/voice-swap/voice-error.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';
import type { JoinableChannel } from './joinable-channel.ts';

const DEADLINE_MS = 10_000;

/**
 * Makes the bot a speaker on the stage if it has the Mute Members permission; otherwise requests to speak. Does nothing
 * if the bot may already speak. Throws `VoiceError`.
 */
export async function stepUp(
  client: Client<true>,
  channel: JoinableChannel,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const isInAudience = channel.guild.members.me?.voice.suppress === true;
  if (channel.type !== ChannelType.GuildStageVoice || !isInAudience) return;
  const maySpeak = channel.permissionsFor(client.user)?.has(PermissionFlagsBits.MuteMembers) === true;
  const wish = maySpeak
    ? { suppress: false }
    : { request_to_speak_timestamp: new Date(clock.now()).toISOString() };
  try {
    await withDeadline(
      clock,
      DEADLINE_MS,
      (limit) =>
        client.rest.patch(Routes.guildVoiceState(channel.guild.id), {
          body: { channel_id: channel.id, ...wish },
          signal: limit,
        }),
      signal,
    );
  } catch (error) {
    throw new VoiceError('forbidden', 'Cannot speak on the stage', {
      cause: withoutRequest(error, 'ask to speak'),
      userMessage: `I cannot speak on the stage <#${channel.id}>. A moderator can invite me to speak there.`,
    });
  }
}
