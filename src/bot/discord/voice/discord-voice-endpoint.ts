import type { Client } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { VoiceError } from '../../sessions/voice-swap/voice-error.ts';
import { ChannelMembers } from './channel-members.ts';
import type { JoinableChannel } from './joinable-channel.ts';
import { SpeechReceiver } from './speech-receiver.ts';
import { SpeechSender } from './speech-sender.ts';
import { VoiceCall } from './voice-call.ts';
import type {
  EndpointCounts,
  EndpointEnd,
  EndpointEvent,
  VoiceEndpoint,
  VoiceMember,
} from '../../sessions/voice-swap/voice-endpoint.ts';
import type { SpeechPacket } from '../../sessions/voice-swap/speech-packet.ts';

interface DiscordVoiceEndpointOptions {
  readonly client: Client<true>;
  readonly channel: JoinableChannel;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The bot in one voice channel. It starts to connect when it is created; `ready` resolves when it is connected. */
export class DiscordVoiceEndpoint implements VoiceEndpoint {
  readonly guildId: string;
  readonly channelId: string;
  readonly #options: DiscordVoiceEndpointOptions;
  readonly #receiver: SpeechReceiver;
  readonly #sender: SpeechSender;
  readonly #members: ChannelMembers;
  readonly #call: VoiceCall;
  readonly #listeners = new Set<(event: EndpointEvent) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #end: EndpointEnd | null = null;
  #recoveries = 0;

  constructor(options: DiscordVoiceEndpointOptions) {
    const { client, channel, clock, log } = options;
    this.#options = options;
    this.guildId = channel.guild.id;
    this.channelId = channel.id;
    this.#receiver = new SpeechReceiver(clock, log);
    this.#sender = new SpeechSender({
      clock,
      log,
      sending: () => this.#call.link?.sending ?? null,
      onKeysMissing: () => this.#receiver.missKeys(),
    });
    this.#members = new ChannelMembers({
      client,
      place: { guildId: this.guildId, channelId: this.channelId },
      log,
      onEvent: (event) => this.#emit(event),
    });
    this.#call = this.#newCall();
    // Marks a rejection as handled, because it is not an error if no caller waits for `ready`.
    this.#ready.promise.catch(() => undefined);
  }

  get members(): readonly VoiceMember[] {
    return this.#end === null ? this.#members.list : [];
  }

  get counts(): EndpointCounts {
    const { undecryptable, stillEncrypted, foreign } = this.#receiver.counts;
    const { rejoins } = this.#call;
    return { undecryptable, stillEncrypted, foreign, recoveries: this.#recoveries, rejoins };
  }

  /**
   * Resolves when the bot can receive and send speech. Throws `VoiceError` if it cannot connect, or `DeadlineError`
   * after `limitMs`.
   */
  async ready(limitMs: number, signal?: AbortSignal): Promise<void> {
    await withDeadline(this.#options.clock, limitMs, () => this.#ready.promise, signal);
  }

  hear(userId: string, listener: (packet: SpeechPacket) => void): Disposable {
    return this.#receiver.hear(userId, (packet) => {
      if (this.#end === null) listener(packet);
    });
  }

  speak(opus: Uint8Array): boolean {
    return this.#sender.speak(opus);
  }

  hush(): void {
    this.#sender.hush();
  }

  onEvent(listener: (event: EndpointEvent) => void): Disposable {
    const own = (event: EndpointEvent): void => listener(event);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.end('closed');
    return Promise.resolve();
  }

  end(reason: EndpointEnd): void {
    this.#call.end(reason);
  }

  #newCall(): VoiceCall {
    const { client, channel, clock, log } = this.#options;
    const { guild, id } = channel;
    const receiver = this.#receiver;
    return new VoiceCall({
      guild,
      channelId: id,
      exists: () => guild.channels.cache.has(id),
      userId: client.user.id,
      isAlone: () => this.#members.list.length === 0,
      clock,
      log,
      listener: {
        onDatagram: (datagram) => this.#onDatagram(datagram),
        onForeign: () => receiver.receiveForeign(),
        onSpeaker: (userId, ssrc) => receiver.identify(userId, ssrc),
        onGone: (userId) => receiver.forget(userId),
        onKeys: () => receiver.retry(),
        onKeyFault: () => receiver.repair(),
        onRecovery: () => {
          this.#recoveries += 1;
        },
        onNewServer: () => this.#restart(),
        onReady: () => this.#onReady(),
        onInterrupted: () => this.#emit({ kind: 'interrupted' }),
        onEnded: (end) => this.#onEnded(end),
      },
    });
  }

  #onDatagram(datagram: Buffer): void {
    this.#receiver.receive(datagram);
  }

  /** Drops all data from the previous voice server. */
  #restart(): void {
    this.#receiver.restart();
    this.#sender.restart();
  }

  #onReady(): void {
    const linked = this.#call.link?.linked;
    if (linked) {
      const { connectionData, dave } = linked;
      this.#receiver.use({ mode: connectionData.encryptionMode, key: connectionData.secretKey, dave });
    }
    this.#ready.resolve();
    if (this.#isReady) this.#emit({ kind: 'restored' });
    this.#isReady = true;
  }

  #onEnded(end: EndpointEnd): void {
    this.#end = end;
    this.#receiver.restart();
    this.#members[Symbol.dispose]();
    this.#ready.reject(notJoined(end));
    this.#emit({ kind: 'ended', reason: end });
    this.#listeners.clear();
  }

  #emit(event: EndpointEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function notJoined(end: EndpointEnd): VoiceError {
  if (end === 'channel_deleted') {
    return new VoiceError('gone', 'Cannot join: the channel was deleted', {
      userMessage: 'That voice channel does not exist any more.',
    });
  }
  return new VoiceError('unreachable', `Cannot join: the connection ended as "${end}"`, {
    userMessage: 'I could not connect to the voice channel. Please try again in a minute.',
  });
}
