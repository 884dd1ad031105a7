import type { Clock, Timer } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { ViolationLog } from '../violations.ts';
import type { CallEncryption } from '../voice/call-encryption.ts';
import { Calls } from '../voice/calls.ts';
import { ApiError } from './api-error.ts';
import { Changes } from './changes.ts';
import { FileStore } from './file-store.ts';
import type { Channel, Guild, Member, VoiceState } from './guild.ts';
import type { Interaction } from './interaction.ts';
import type { Message } from './message.ts';
import type { Payload } from './payload.ts';
import { Snowflakes } from './snowflake.ts';
import type { Application, User } from './user.ts';

/** An event to send to the bots that may see it. */
export interface Dispatch {
  readonly event: string;
  /** The intent bits of which a session needs at least one; 0 if no intent is needed. */
  readonly intents: number;
  /** Limits the event to this application. */
  readonly applicationId?: string;
  readonly guildId?: string;
  /** Limits the event to bots that may view this channel. */
  readonly channel?: Channel;
  readonly data: (viewer: Application) => Payload;
}

/**
 * A member joined voice (`from` is null), left it (`to` is null) or changed channels. `from` and `to` are channel ids.
 */
export interface VoiceMove {
  readonly state: VoiceState;
  readonly from: string | null;
  readonly to: string | null;
}

/** The part of the world that has changed. Watchers read its new state themselves. */
export type Touched =
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'interaction'; readonly interaction: Interaction }
  | { readonly is: 'guild'; readonly guildId: string }
  | { readonly is: 'typing'; readonly channelId: string; readonly userId: string };

/** Options for a world. */
interface WorldOptions {
  /** The clock for the chat's time limits: for responses, tokens, links and nonces. */
  readonly clock: Clock;
  /** The clock that runs in real time, for the timeouts of waits. */
  readonly wireClock: Clock;
  /** The seed for random voice faults. */
  readonly seed?: number;
  /** Creates the end-to-end encryption of a voice channel's call. Default: none. */
  readonly encryption?: (channelId: string) => CallEncryption;
}

/** The complete state of the local Discord, in memory. */
export class World {
  readonly clock: Clock;
  readonly ids: Snowflakes;
  readonly changes: Changes;
  readonly calls: Calls;
  readonly violations: ViolationLog;
  readonly applications: Map<string, Application> = new Map();
  readonly users: Map<string, User> = new Map();
  readonly guilds: Map<string, Guild> = new Map();
  readonly channels: Map<string, Channel> = new Map();
  readonly interactions: Map<string, Interaction> = new Map();
  readonly interactionsByToken: Map<string, Interaction> = new Map();
  readonly files: FileStore = new FileStore();
  readonly linkSecret: string = randomId('link');
  /** `http://host:port` of the CDN. It is set once the server is listening. */
  cdnBase = '';
  readonly #timers = new Set<Timer>();
  readonly #listeners = new Set<(dispatch: Dispatch) => void>();
  readonly #voiceListeners = new Set<(move: VoiceMove) => void>();
  readonly #watchers = new Set<(touched: Touched) => void>();

  constructor(options: WorldOptions) {
    this.clock = options.clock;
    this.ids = new Snowflakes(options.clock);
    this.changes = new Changes(options.wireClock);
    this.calls = new Calls({ ...options, clock: options.wireClock, changed: () => this.changes.notify() });
    this.violations = new ViolationLog(options.clock);
  }

  /** Sends an event to the listeners (the gateway) and notifies all waiters. */
  emit(dispatch: Dispatch): void {
    for (const listener of this.#listeners) listener(dispatch);
    const { guildId, event } = dispatch;
    if (guildId !== undefined && !/^(?:MESSAGE|INTERACTION)_/.test(event))
      this.touch({ is: 'guild', guildId });
    this.changes.notify();
  }

  /** Calls `fire` once, `delayMs` from now on the chat's clock, unless the world closes first. */
  after(delayMs: number, fire: () => void): void {
    const timer = this.clock.after(
      delayMs,
      () => {
        this.#timers.delete(timer);
        fire();
      },
      { background: true },
    );
    this.#timers.add(timer);
  }

  /** Cancels all timers and rejects all waits. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.calls.close();
    this.changes.close();
  }

  onDispatch(listener: (dispatch: Dispatch) => void): void {
    this.#listeners.add(listener);
  }

  /** Notifies the listeners (the voice server) of a move. The bots have already been notified. */
  voiceMoved(move: VoiceMove): void {
    for (const listener of this.#voiceListeners) listener(move);
    this.changes.notify();
  }

  onVoiceMove(listener: (move: VoiceMove) => void): void {
    this.#voiceListeners.add(listener);
  }

  /** Notifies the watchers of a change. */
  touch(touched: Touched): void {
    for (const watcher of this.#watchers) watcher(touched);
  }

  /** Calls `watcher` after every change, until the returned function is called. */
  watch(watcher: (touched: Touched) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Returns a channel. Throws `Unknown Channel` if there is none with this id. */
  channel(id: string): Channel {
    const channel = this.channels.get(id);
    if (!channel) throw new ApiError('unknownChannel');
    return channel;
  }

  /** Returns a guild. Throws `Unknown Guild` if there is none with this id. */
  guild(id: string): Guild {
    const guild = this.guilds.get(id);
    if (!guild) throw new ApiError('unknownGuild');
    return guild;
  }

  /** Returns a member of a guild. Throws `Unknown Member` if the user is not in it. */
  member(guild: Guild, userId: string): Member {
    const member = guild.members.get(userId);
    if (!member) throw new ApiError('unknownMember');
    return member;
  }

  /** Returns a message. Throws `Unknown Message` if there is none with this id or if it is deleted. */
  message(channel: Channel, id: string): Message {
    const message = channel.messages.findLast((entry) => entry.id === id);
    if (!message || message.deletedAtMs !== null) throw new ApiError('unknownMessage');
    return message;
  }

  /** Returns the guild of a channel, or null for a direct message. */
  guildOf(channel: Channel): Guild | null {
    return channel.guildId === null ? null : this.guild(channel.guildId);
  }
}
