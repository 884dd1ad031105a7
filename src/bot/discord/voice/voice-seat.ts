import { GatewayOpcodes, type Guild } from 'discord.js';
import { z } from 'zod';

/** The data from the main gateway with which the bot connects to a voice server. */
export interface VoiceCredentials {
  readonly endpoint: string;
  readonly token: string;
  readonly sessionId: string;
}

/** The guild properties that this file uses. */
export type SeatGuild = Pick<Guild, 'id' | 'voiceAdapterCreator'>;

interface SeatListener {
  /** Called when Discord names a voice server, for the first time or in place of another one. */
  readonly onCredentials: (credentials: VoiceCredentials) => void;
  /** Called when the voice server is gone; Discord will name another one. */
  readonly onServerGone: () => void;
  /** Called with the channel in which Discord shows the bot; null if it is in none. */
  readonly onPlace: (channelId: string | null) => void;
  /** Called when the bot's own connection to Discord has ended and will not be restored. */
  readonly onLost: () => void;
}

const serverUpdate = z.object({ token: z.string().min(1), endpoint: z.string().min(1).nullish() });
const stateUpdate = z.object({ session_id: z.string().min(1), channel_id: z.string().nullish() });

/**
 * The bot's voice state in one guild. Asks the main gateway to put the bot into a channel, and receives the voice
 * server to connect to. A client has one voice state per guild.
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

  /**
   * Requests to join the channel, neither muted nor deafened. Returns false if the gateway cannot receive requests
   * now.
   */
  take(channelId: string): boolean {
    // A voice server named in answer to an earlier request is no longer valid.
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
    // Discord may name the server before it reports the session; in that case, the library would wait for ever without
    // this call.
    if (isFirst) this.#report();
  }

  #report(): void {
    if (!this.#server || this.#sessionId === null || this.#isGivenUp) return;
    this.#listener.onCredentials({ ...this.#server, sessionId: this.#sessionId });
  }
}
