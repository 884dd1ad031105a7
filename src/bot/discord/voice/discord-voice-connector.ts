import type { Client } from 'discord.js';
import { type Clock, DeadlineError } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { VoiceError } from '../../sessions/voice-swap/voice-error.ts';
import { DiscordVoiceEndpoint } from './discord-voice-endpoint.ts';
import { type JoinableChannel, demandFreeVoice, joinableChannel } from './joinable-channel.ts';
import { assertLibrary } from './assert-library.ts';
import { stepUp } from './step-up.ts';
import type { VoiceConnector, VoicePlace } from '../../sessions/voice-swap/voice-connector.ts';
import type { VoiceEndpoint } from '../../sessions/voice-swap/voice-endpoint.ts';

interface DiscordVoiceConnectorOptions {
  /**
   * Must be logged in, with the intents `Guilds` and `GuildVoiceStates`, which are not privileged. A host's client
   * must have them as well, and must not use voice itself in a guild while the bot does.
   */
  readonly client: Client<true>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long joining may take, in milliseconds. Default 20 s. */
  readonly joinTimeoutMs?: number;
}

const JOIN_MS_MAX = 20_000;

/** Joins voice channels as one client's user. A process may have several clients, each with its own connector. */
export class DiscordVoiceConnector implements VoiceConnector, AsyncDisposable {
  readonly userId: string;
  readonly #options: DiscordVoiceConnectorOptions;
  readonly #endpoints = new Map<string, DiscordVoiceEndpoint>();
  #isDisposed = false;

  /**
   * Throws `TypeError` if the installed version of the voice library is not the one that this code was written for.
   */
  constructor(options: DiscordVoiceConnectorOptions) {
    assertLibrary();
    this.#options = options;
    this.userId = options.client.user.id;
  }

  async join(place: VoicePlace, signal?: AbortSignal): Promise<VoiceEndpoint> {
    const { client, clock, log, joinTimeoutMs = JOIN_MS_MAX } = this.#options;
    signal?.throwIfAborted();
    this.#demandFree(place);
    const channel = joinableChannel(client, place);
    const endpoint = new DiscordVoiceEndpoint({ client, channel, clock, log });
    this.#endpoints.set(place.guildId, endpoint);
    endpoint.onEvent(({ kind }) => {
      if (kind === 'ended') this.#endpoints.delete(place.guildId);
      if (kind === 'restored') this.#stepUpAgain(channel);
    });
    try {
      await endpoint.ready(joinTimeoutMs, signal);
      demandFreeVoice(channel);
      await stepUp(client, channel, clock, signal);
      return endpoint;
    } catch (error) {
      endpoint.end('closed');
      throw error instanceof DeadlineError ? unanswered(error) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint[Symbol.asyncDispose]()));
  }

  /** Makes the bot a speaker again, because after rejoining a stage it is in the audience. */
  #stepUpAgain(channel: JoinableChannel): void {
    const { client, clock, log } = this.#options;
    stepUp(client, channel, clock).catch((error: unknown) => {
      log.warn({ guildId: channel.guild.id, error }, 'Can no longer speak on a stage');
    });
  }

  #demandFree({ guildId }: VoicePlace): void {
    if (this.#isDisposed) throw new VoiceError('unreachable', 'Cannot join: the bot is shutting down');
    // If the guild has a voice adapter but no endpoint here, the host is using voice in the guild.
    if (!this.#endpoints.has(guildId) && !this.#options.client.voice.adapters.has(guildId)) return;
    throw new VoiceError('busy', 'Cannot join: the bot is in another channel of the guild', {
      userMessage: 'I am already in a voice channel of this server, and can be in one at a time.',
    });
  }
}

function unanswered(cause: DeadlineError): VoiceError {
  return new VoiceError('unreachable', 'Cannot join: the voice server did not answer in time', {
    cause,
    userMessage: "Discord's voice servers did not answer. Please try again in a minute.",
  });
}
