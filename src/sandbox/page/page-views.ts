/**
 * Users, servers and channels as the control API sends them to the chat page. Messages, uses and the wire have their
 * own files (`message-views.ts`, `use-views.ts`, `wire-views.ts`). This file has only types, so that browser code may
 * import it. Ids are snowflakes as text, times are epoch milliseconds on the sandbox's clock, and property names are in
 * snake_case as in Discord's API.
 */

/** A user with an account: a person that the page may act as, or a bot. */
export interface PageUser {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** The URL of the avatar. If it is null, the page shows a disc of `colour` with an initial. */
  readonly avatar_url: string | null;
  /** The colour as `#rrggbb`, always the same for the same user name. */
  readonly colour: string;
}

/** Everything that one user sees, except for messages. */
export interface PageState {
  /** The user who sees this state. */
  readonly me: PageUser;
  /** The users that the page may act as, admins first. */
  readonly people: readonly PageUser[];
  readonly bot: PageBot;
  readonly guilds: readonly PageGuild[];
  /** Direct message channels with bots. On the page, they are read-only. */
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
  /** The maximum size of a file in a message or command in this server, in bytes. */
  readonly file_size_max: number;
  /** The roles, highest first. The last role is @everyone and has the guild's id. */
  readonly roles: readonly PageRole[];
  /** The channels that the viewer may see, in the order in which they are shown. */
  readonly channels: readonly PageChannel[];
  readonly members: readonly PageMember[];
}

interface PageRole {
  readonly id: string;
  readonly name: string;
  /** Names of permissions, such as `MANAGE_GUILD`. */
  readonly permissions: readonly string[];
  /** Whether the role is a bot's own. */
  readonly managed: boolean;
}

/** A member. `name` is the nickname if there is one. */
export interface PageMember extends PageUser {
  readonly role_ids: readonly string[];
  readonly online: boolean;
  /** Whether the member is an administrator or manages the server. */
  readonly admin: boolean;
}

/** A channel as one member sees it. */
export interface PageChannel {
  readonly id: string;
  /** Null for direct messages. */
  readonly guild_id: string | null;
  readonly kind: 'text' | 'voice' | 'stage' | 'dm';
  /** For direct messages, the name of the other user. */
  readonly name: string;
  /** The status text below a voice channel's name. */
  readonly status: string | null;
  readonly age_restricted: boolean;
  /** The maximum number of members in a voice channel; 0 means no limit. */
  readonly user_limit: number;
  /** The viewer's permissions in the channel. */
  readonly may: {
    readonly send: boolean;
    readonly attach: boolean;
    readonly run_commands: boolean;
    /** Whether the viewer may delete other members' messages too. */
    readonly delete_messages: boolean;
    readonly connect: boolean;
    readonly speak: boolean;
  };
  /** The members in the channel; empty except for voice and stage channels. */
  readonly voice: readonly PageVoiceState[];
  /** The end-to-end encryption of the call; null while the channel is empty or the call is not encrypted. */
  readonly encryption: { readonly version: number; readonly epoch: number } | null;
}

/** A member in a voice channel. */
export interface PageVoiceState {
  readonly user_id: string;
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
  /** Whether a moderator muted the member. */
  readonly mute: boolean;
  readonly deaf: boolean;
  /** Whether the member may only listen: in a stage's audience, or without permission to speak. */
  readonly suppressed: boolean;
  readonly hand_raised: boolean;
  /** Whether the member's audio is connected. Bots connect some time after they join. */
  readonly connected: boolean;
  readonly speaking: boolean;
}
