import { GatewayOpcodes, type Guild } from 'discord.js';
import { z } from 'zod';

/** The data from the main gateway with which the bot connects to a voice server. */
export interface VoiceCredentials {
  readonly endpoint: string;
  readonly token: string;
  readonly sessionId: string;
}

/** The part of a guild that is used here. */
export type SeatGuild = Pick<Guild, 'id' | 'voiceAdapterCreator'>;

interface SeatListener {
  /** A voice server is named, for the first time or in place of another. */
  readonly onCredentials: (credentials: VoiceCredentials) => void;
  /** The voice server is gone, and another will be named. */
  readonly onServerGone: () => void;
  /** The channel in which Discord has the bot now; null: none. */
  readonly onPlace: (channelId: string | null) => void;
  /** The bot's own connection to Discord ended for good. */
  readonly onLost: () => void;
}

const serverUpdate = z.object({ token: z.string().min(1), endpoint: z.string().min(1).nullish() });
const stateUpdate = z.object({ session_id: z.string().min(1), channel_id: z.string().nullish() });

/**
 * The bot's place among the voice states of one guild. It asks the main gateway for a channel, and receives the name of
 * the voice server. A client has one such place for each guild.
 */
export class VoiceSeat implements Disposable {
  readonly #guildId: string;
  readonly #adapter: ReturnType<Guild['voiceAdapterCreator']>;
  readonly #listener: SeatListener;
  #server: { readonly token: string; readonly endpoint: string } | null = null;
  #sessionId: string | null = null;
  #isGivenUp = false;

  constructor(guild: SeatGuild, listener: SeatListener) {
    this.#guildId = guild.id;
    this.#listener = listener;
    this.#adapter = guild.voiceAdapterCreator({
      onVoiceServerUpdate: (data) => this.#onServer(data),
      onVoiceStateUpdate: (data) => this.#onState(data),
      destroy: () => {
        if (!this.#isGivenUp) listener.onLost();
      },
    });
  }

  /** Asks to be in the channel, neither muted nor deafened; false if the gateway cannot be asked now. */
  take(channelId: string): boolean {
    // The answer to an earlier request does not count.
    this.#server = null;
    return this.#send(channelId);
  }

  leave(): void {
    this.#send(null);
  }

  [Symbol.dispose](): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#adapter.destroy();
  }

  #send(channelId: string | null): boolean {
    return this.#adapter.sendPayload({
      op: GatewayOpcodes.VoiceStateUpdate,
      d: { guild_id: this.#guildId, channel_id: channelId, self_mute: false, self_deaf: false },
    });
  }

  #onServer(data: unknown): void {
    const parsed = serverUpdate.safeParse(data);
    if (this.#isGivenUp || !parsed.success) return;
    const { token, endpoint } = parsed.data;
    this.#server = typeof endpoint === 'string' ? { token, endpoint } : null;
    if (this.#server) this.#report();
    else this.#listener.onServerGone();
  }

  #onState(data: unknown): void {
    const parsed = stateUpdate.safeParse(data);
    if (this.#isGivenUp || !parsed.success) return;
    const isFirst = this.#sessionId === null;
    this.#sessionId = parsed.data.session_id;
    this.#listener.onPlace(parsed.data.channel_id ?? null);
    // The server may be named first; the library would wait for ever in that case.
    if (isFirst) this.#report();
  }

  #report(): void {
    if (!this.#server || this.#sessionId === null || this.#isGivenUp) return;
    this.#listener.onCredentials({ ...this.#server, sessionId: this.#sessionId });
  }
}
