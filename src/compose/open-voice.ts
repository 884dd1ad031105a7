import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { DiscordChannelStatus } from '../bot/discord/voice/discord-channel-status.ts';
import { DiscordVoiceConnector } from '../bot/discord/voice/discord-voice-connector.ts';
import { DiscordVoicePanels } from '../bot/discord/cards/discord-voice-panels.ts';
import { DiscordWhereabouts } from '../bot/discord/voice/discord-whereabouts.ts';
import type { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { PaidSessions } from '../bot/sessions/paid-sessions.ts';
import { ConsentBook } from '../bot/sessions/consent-book.ts';
import { voiceConsentText } from '../bot/sessions/voice-swap/desk/voice-consent-text.ts';
import type { ShowStatus } from '../bot/sessions/voice-swap/desk/disclosure.ts';
import { readNotice } from '../bot/sessions/voice-swap/desk/read-notice.ts';
import { VoiceConversion } from '../bot/sessions/voice-swap/desk/voice-conversion.ts';
import { VOICE_LIMITS } from '../bot/sessions/voice-swap/desk/voice-limits.ts';
import { VoiceError } from '../bot/sessions/voice-swap/voice-error.ts';
import { VoiceRoom } from '../bot/sessions/voice-swap/voice-room.ts';
import type { Money } from './open-money.ts';
import type { People } from './open-people.ts';
import type { Basics } from './basics.ts';
import type { VoiceConnector } from '../bot/sessions/voice-swap/voice-connector.ts';

export interface VoiceParts {
  readonly db: Database;
  readonly client: Client;
  /** The client of the second bot user. */
  readonly stageClient: Client | null;
  readonly guard: RequestGuard;
  readonly jobs: Jobs;
  readonly paid: PaidSessions;
  readonly money: Money;
  readonly people: People;
}

/** Opens voice conversion. On disposal, its sessions and their lines close before the parts that they need. */
export async function openVoice(basics: Basics, needs: VoiceParts): Promise<VoiceConversion> {
  const { options, owned, clock, log } = basics;
  const { db, client, stageClient, guard, jobs, paid, money, people } = needs;
  const service = URL.parse(options.mediaApi.baseUrl)?.host ?? 'the media service';
  return owned.use(
    new VoiceConversion({
      db,
      clock,
      log,
      connector: openConnector(basics, client),
      stageConnector: stageClient && openConnector(basics, stageClient),
      openSound: (listening, speaking) => new VoiceRoom({ listening, speaking, clock, log }),
      lines: paid.voice,
      panels: new DiscordVoicePanels({ client, guard, voices: jobs.voices }),
      showStatus: openStatus(basics, needs),
      consents: new ConsentBook({ db, clock, text: voiceConsentText(service) }),
      voices: jobs.voices,
      notice: await readNotice(options.voiceNoticeFile),
      budget: money.budget,
      mayRenew: (guildId) => money.rules.renewsVoice(guildId),
      whereabouts: new DiscordWhereabouts(client),
      rules: people.access,
      limits: { ...VOICE_LIMITS, ...options.voiceLimits },
    }),
  );
}

/** Sets a channel's status through the bot user that is in the channel, because that user needs fewer permissions. */
function openStatus({ clock, log }: Basics, { client, stageClient, guard }: VoiceParts): ShowStatus {
  const own = new DiscordChannelStatus({ client, guard, clock, log });
  const stage = stageClient && new DiscordChannelStatus({ client: stageClient, clock, log });
  const isStages = (channelId: string): boolean => {
    const user = stageClient?.user;
    const channel = stageClient?.channels.cache.get(channelId);
    return (
      channel?.isVoiceBased() === true &&
      channel.guild.voiceStates.cache.get(user?.id ?? '')?.channelId === channelId
    );
  };
  return (channelId, text) => {
    const status = stage && isStages(channelId) ? stage : own;
    return text === null ? status.clear(channelId) : status.set(channelId, text);
  };
}

/**
 * Opens the connector when it is first used, because the client's user is known only after login. On disposal it closes
 * after the parts that use it.
 */
function openConnector({ owned, clock, log }: Basics, client: Client): VoiceConnector {
  let made: DiscordVoiceConnector | undefined;
  owned.defer(() => made?.[Symbol.asyncDispose]());
  return {
    get userId() {
      return client.user?.id ?? '';
    },
    join(place, signal) {
      if (!client.isReady()) {
        return Promise.reject(new VoiceError('unreachable', 'Cannot join: the bot is not connected'));
      }
      made ??= new DiscordVoiceConnector({ client, clock, log });
      return made.join(place, signal);
    },
  };
}
