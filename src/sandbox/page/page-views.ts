/**
 * Who is there and where, as the control API tells the chat page; messages, uses and the wire have files of their own
 * (`message-views.ts`, `use-views.ts`, `wire-views.ts`). Types only, so that code for browsers may import them.
 * Ids are snowflakes as text, times are epoch milliseconds on the sandbox's clock, names are in the words of the wire.
 */

/** Somebody with an account: a person whom the page may act as, or a bot. */
export interface PageUser {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** A picture to load, or null: then a disc of `colour` with an initial. */
  readonly avatar_url: string | null;
  /** `#rrggbb`, the same for the same name at every start. */
  readonly colour: string;
}

/** Everything beside messages that one user sees. */
export interface PageState {
  /** Whom all this is shown to. */
  readonly me: PageUser;
  /** Whom the page may act as, admins first. */
  readonly people: readonly PageUser[];
  readonly bot: PageBot;
  readonly guilds: readonly PageGuild[];
  /** Direct messages of bots; read only. */
  readonly direct_messages: readonly PageChannel[];
  readonly now_ms: number;
}

/** The bot that this sandbox was started for. */
export interface PageBot extends PageUser {
  readonly online: boolean;
}

/** A server as one member sees it. */
export interface PageGuild {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  /** Largest single file that may be sent or given to a command here, in bytes. */
  readonly file_size_max: number;
  /** Highest first; the last one is @everyone and has the guild's id. */
  readonly roles: readonly PageRole[];
  /** Only those that the viewer may see, in their order. */
  readonly channels: readonly PageChannel[];
  readonly members: readonly PageMember[];
}

interface PageRole {
  readonly id: string;
  readonly name: string;
  /** Names of permissions, such as `MANAGE_GUILD`. */
  readonly permissions: readonly string[];
  /** Whether it is a bot's own. */
  readonly managed: boolean;
}

/** A member; `name` is the nickname where there is one. */
export interface PageMember extends PageUser {
  readonly role_ids: readonly string[];
  readonly online: boolean;
  /** Whether the member may do everything or manages the server. */
  readonly admin: boolean;
}

/** A channel as one member sees it. */
export interface PageChannel {
  readonly id: string;
  /** Null for direct messages. */
  readonly guild_id: string | null;
  readonly kind: 'text' | 'voice' | 'stage' | 'dm';
  /** Of direct messages: the other one's name. */
  readonly name: string;
  /** The line under a voice channel's name. */
  readonly status: string | null;
  readonly age_restricted: boolean;
  /** Most members in a voice channel; 0: no limit. */
  readonly user_limit: number;
  /** What the viewer may do there. */
  readonly may: {
    readonly send: boolean;
    readonly attach: boolean;
    readonly run_commands: boolean;
    /** Others' messages too. */
    readonly delete_messages: boolean;
    readonly connect: boolean;
    readonly speak: boolean;
  };
  /** Who is there; empty but for voice and stage channels. */
  readonly voice: readonly PageVoiceState[];
  /** End-to-end encryption of the call; null while nobody is there or it is in clear. */
  readonly encryption: { readonly version: number; readonly epoch: number } | null;
}

/** Somebody in a voice channel. */
export interface PageVoiceState {
  readonly user_id: string;
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
  /** By a moderator. */
  readonly mute: boolean;
  readonly deaf: boolean;
  /** May listen only: the audience of a stage, or without permission to speak. */
  readonly suppressed: boolean;
  readonly hand_raised: boolean;
  /** Whether the sound is connected; bots connect some time after they joined. */
  readonly connected: boolean;
  readonly speaking: boolean;
}
