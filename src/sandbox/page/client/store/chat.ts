import {
  type ReadonlySignal,
  type Signal,
  batch,
  computed,
  effect,
  signal,
  untracked,
} from '@preact/signals';
import type { PageMessage, PageMessages } from '../../message-views.ts';
import type { PageBot, PageChannel, PageGuild, PageMember, PageUser } from '../../page-views.ts';
import type { PageFault } from '../../wire-views.ts';
import type { PageEvent } from '../../page-wire.ts';
import { read, write } from '../live/control.ts';
import { LiveSocket } from '../live/live-socket.ts';
import { ChannelMessages } from './channel-messages.ts';
import { Notices } from './notices.ts';
import { HOME, Place } from './place.ts';
import { Typing } from './typing.ts';
import { Unread } from './unread.ts';
import { Uses } from './uses.ts';

const CHANNELS_KEPT = 50;

/** The state of the page, as signals, and the actions on it. */
export class Chat {
  readonly live = new LiveSocket();
  readonly place = new Place();
  readonly notices = new Notices();
  readonly typing = new Typing();
  readonly uses = new Uses();
  readonly unread = new Unread();
  /** The user that the page acts as; null before the first response. */
  readonly me: Signal<PageUser | null> = signal(null);
  readonly people: Signal<readonly PageUser[]> = signal([]);
  readonly bot: Signal<PageBot | null> = signal(null);
  readonly guilds: Signal<readonly PageGuild[]> = signal([]);
  readonly directMessages: Signal<readonly PageChannel[]> = signal([]);
  readonly faults: Signal<readonly PageFault[]> = signal([]);
  /** Null while direct messages are shown. */
  readonly guild: ReadonlySignal<PageGuild | null> = computed(() => this.#chosenGuild());
  readonly channel: ReadonlySignal<PageChannel | null> = computed(() => this.#chosenChannel());
  /** The voice channel that the acting member is in, or null. */
  readonly call: ReadonlySignal<PageChannel | null> = computed(() => this.#ownCall());
  /** Changes when all data is loaded again, so that views that hold messages load them again too. */
  readonly loadedFor: Signal<{ readonly userId: string } | null> = signal(null);
  /** How far the sandbox's clock is ahead of the browser's, in milliseconds. */
  readonly clockAheadMs: Signal<number> = signal(0);
  readonly #channels = new Map<string, ChannelMessages>();

  constructor() {
    this.live.listen((event) => batch(() => this.#take(event)));
    effect(() => {
      const shown = this.channel.value?.id;
      untracked(() => shown !== undefined && this.unread.seen(shown));
    });
  }

  start(): void {
    this.live.ask({ t: 'act', as: this.place.userId.value });
    this.live.connect();
  }

  /** Makes the page act as another user. All data is loaded again for that user. */
  actAs(userId: string): void {
    this.place.userId.value = userId;
    this.live.ask({ t: 'act', as: userId });
  }

  openGuild(guildId: string): void {
    this.place.guildId.value = guildId;
  }

  openChannel(channel: Pick<PageChannel, 'id' | 'guild_id'>): void {
    batch(() => {
      const guildId = channel.guild_id ?? HOME;
      this.place.guildId.value = guildId;
      this.place.chooseChannel(guildId, channel.id);
    });
  }

  /** Returns a member of the shown server, or any known user. */
  member(id: string): PageMember | PageUser | undefined {
    const here = this.guild.value?.members.find((member) => member.id === id);
    return here ?? this.people.value.find((person) => person.id === id);
  }

  /** Returns a channel's messages, and loads them on first use. */
  messagesOf(channelId: string): ChannelMessages {
    const known = this.#channels.get(channelId);
    if (known) return known;
    const added = new ChannelMessages();
    this.#channels.set(channelId, added);
    const [oldest] = this.#channels.keys();
    if (this.#channels.size > CHANNELS_KEPT && oldest !== undefined) this.#channels.delete(oldest);
    void this.#load(channelId);
    return added;
  }

  /** Loads messages from before the oldest loaded message. */
  async loadOlder(channelId: string): Promise<void> {
    const before = this.#channels.get(channelId)?.known.value.messages[0]?.id;
    if (before !== undefined) await this.#load(channelId, before);
  }

  /**
   * Performs an action as the acting member in a server. `path` is the action's path in the control API, such as
   * `says`. Throws `ControlError`.
   */
  act<T>(guildId: string, path: string, body: unknown): Promise<T> {
    return write(`/guilds/${guildId}/members/${this.me.value?.id ?? ''}/${path}`, body);
  }

  /**
   * Waits for an action whose result is not needed, and shows its error if it fails. Resolves with whether it
   * succeeded.
   */
  async try(doing: Promise<unknown>): Promise<boolean> {
    try {
      await doing;
      return true;
    } catch (error) {
      this.notices.show(error instanceof Error ? error.message : 'That did not work. Please try again.');
      return false;
    }
  }

  async #load(channelId: string, before?: string): Promise<void> {
    const user = this.me.value;
    const channel = this.#channels.get(channelId);
    if (!user || !channel) return;
    const query = before === undefined ? '' : `?before=${before}`;
    const asked = async (): Promise<PageMessages | undefined> => {
      const came = await read<PageMessages>(`/users/${user.id}/channels/${channelId}/messages${query}`);
      return user.id === this.me.value?.id ? came : undefined;
    };
    await this.try(channel.load(asked, { older: before !== undefined }));
  }

  #take(event: PageEvent): void {
    switch (event.t) {
      case 'state':
        return this.#takeState(event);
      case 'guild':
        return this.#takeGuild(event.guild);
      case 'guild_gone':
        this.guilds.value = this.guilds.value.filter(({ id }) => id !== event.id);
        return;
      case 'direct_messages':
        this.directMessages.value = event.channels;
        return;
      case 'message':
        return this.#takeMessage(event.message);
      case 'use':
        return this.uses.take(event.use);
      case 'bot':
        this.bot.value = event.bot;
        return;
      case 'speaking':
        return this.#takeSpeaking(event);
      case 'typing':
        return this.typing.began(event.channel_id, event.user_id);
      case 'faults':
        this.faults.value = event.faults;
        return;
      case 'resync':
        // The response to `act` contains all data, including the uses, and makes the page load its messages again.
        return this.live.ask({ t: 'act', as: this.place.userId.value });
      case 'error':
        return this.#refused();
      case 'wire':
        return;
    }
  }

  #takeState({ state, uses, faults }: Extract<PageEvent, { t: 'state' }>): void {
    const isOther = this.me.value?.id !== state.me.id;
    this.me.value = state.me;
    this.place.userId.value = state.me.id;
    this.people.value = state.people;
    this.bot.value = state.bot;
    this.guilds.value = state.guilds;
    this.directMessages.value = state.direct_messages;
    this.faults.value = faults;
    this.clockAheadMs.value = state.now_ms - Date.now();
    this.uses.begin(uses);
    if (isOther) {
      this.#channels.clear();
      this.unread.begin(state.now_ms);
    }
    this.#reload();
    this.loadedFor.value = { userId: state.me.id };
  }

  /** Loads the shown channel's messages again now, and makes other channels load theirs when they are opened. */
  #reload(): void {
    const shown = this.channel.value?.id;
    for (const id of this.#channels.keys()) {
      if (id === shown) void this.#load(id);
      else this.#channels.delete(id);
    }
  }

  #takeMessage(message: PageMessage): void {
    const { channel_id: channelId, author } = message;
    this.typing.ended(channelId, author.id);
    const isSeen = channelId === this.channel.value?.id || author.id === this.me.value?.id;
    this.unread.wrote(message, isSeen);
    this.#channels.get(channelId)?.take(message);
  }

  #takeGuild(guild: PageGuild): void {
    const isKnown = this.guilds.value.some(({ id }) => id === guild.id);
    this.guilds.value = isKnown
      ? this.guilds.value.map((known) => (known.id === guild.id ? guild : known))
      : [...this.guilds.value, guild];
  }

  #takeSpeaking({ channel_id, user_id, speaking }: Extract<PageEvent, { t: 'speaking' }>): void {
    const hear = (channel: PageChannel): PageChannel => {
      if (channel.id !== channel_id) return channel;
      const voice = channel.voice.map((state) =>
        state.user_id === user_id ? { ...state, speaking } : state,
      );
      return { ...channel, voice };
    };
    this.guilds.value = this.guilds.value.map((guild) =>
      guild.channels.some(({ id }) => id === channel_id)
        ? { ...guild, channels: guild.channels.map(hear) }
        : guild,
    );
  }

  /** Acts as the default user if the remembered one does not exist, for example after the sandbox was started again. */
  #refused(): void {
    if (this.me.value === null || !this.people.value.some(({ id }) => id === this.place.userId.value)) {
      this.live.ask({ t: 'act', as: null });
    }
  }

  #chosenGuild(): PageGuild | null {
    const chosen = this.place.guildId.value;
    if (chosen === HOME) return null;
    return this.guilds.value.find(({ id }) => id === chosen) ?? this.guilds.value[0] ?? null;
  }

  #chosenChannel(): PageChannel | null {
    const guild = this.guild.value;
    const channels = guild ? guild.channels : this.directMessages.value;
    const chosen = this.place.channelIds.value[guild?.id ?? HOME];
    return channels.find(({ id }) => id === chosen) ?? channels[0] ?? null;
  }

  #ownCall(): PageChannel | null {
    const own = this.me.value?.id;
    const channels = this.guilds.value.flatMap((guild) => guild.channels);
    return channels.find(({ voice }) => voice.some(({ user_id }) => user_id === own)) ?? null;
  }
}
