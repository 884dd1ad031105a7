/**
 * What the chat page shows, as the control API tells it. Types only, so that code for browsers may import them.
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

export interface PageRole {
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

/** A message as one user sees it. `version` grows with every change, so that of two states the newer one wins. */
export interface PageMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id: string | null;
  readonly version: number;
  /** Gone: to be taken out of the list. All else may be blank then. */
  readonly deleted: boolean;
  readonly author: PageUser;
  /** Discord's markdown; mentions are `<@id>`, `<@&id>`, `<#id>`, times `<t:seconds:R>`. */
  readonly content: string;
  readonly mentions: {
    readonly users: readonly { readonly id: string; readonly name: string }[];
    readonly role_ids: readonly string[];
    readonly everyone: boolean;
    /** Whether the viewer is meant. */
    readonly me: boolean;
  };
  /** As Discord's API answers them, links filled in. */
  readonly embeds: readonly PageEmbed[];
  /** As Discord's API answers them, links filled in. Version 1 (rows) unless `components_v2`. */
  readonly components: readonly PageComponent[];
  readonly components_v2: boolean;
  readonly attachments: readonly PageFile[];
  /** "Only you can see this". */
  readonly ephemeral: boolean;
  readonly created_at_ms: number;
  readonly edited_at_ms: number | null;
  /** "... is thinking" until then; afterwards "The application did not respond". Null for every other message. */
  readonly thinking_until_ms: number | null;
  /** "Ada used /photo-swap" above the message; null when no use of the bot made it. `command` null: a button or form. */
  readonly used: { readonly by: PageUser; readonly command: string | null } | null;
  /** The message it answers, or whose component was used. */
  readonly reply_to: PageExcerpt | null;
  /** A forwarded message as it was. */
  readonly forwarded: {
    readonly content: string;
    readonly embeds: readonly PageEmbed[];
    readonly attachments: readonly PageFile[];
  } | null;
}

/** Messages that the user may see, newest last. */
export interface PageMessages {
  readonly messages: readonly PageMessage[];
  /** Whether there are older ones; ask with `before` the first one's id. */
  readonly more: boolean;
}

/** The beginning of another message; `author` null when it is gone. */
export interface PageExcerpt {
  readonly id: string;
  readonly author: PageUser | null;
  readonly text: string;
  readonly has_files: boolean;
}

/** A file with a link on this machine that works for a day; an `<img>`, `<video>` or `<audio>` can load it. */
export interface PageFile {
  readonly id: string;
  readonly filename: string;
  readonly content_type: string;
  /** Bytes. */
  readonly size: number;
  readonly url: string;
  readonly description: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

interface PageImage {
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
}

/** Discord's embed. */
export interface PageEmbed {
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** 0xRRGGBB. */
  readonly color?: number;
  readonly author?: { readonly name: string; readonly url?: string; readonly icon_url?: string };
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly image?: PageImage;
  readonly thumbnail?: PageImage;
  readonly footer?: { readonly text: string; readonly icon_url?: string };
}

export interface PageEmoji {
  readonly id?: string | null;
  readonly name?: string | null;
}

/** Discord's component, by `type`. In forms too. Only what a type has is there. */
export interface PageComponent {
  /**
   * 1 row, 2 button, 3 string select, 4 text input, 5 user select, 6 role select, 7 mentionable select, 8 channel select,
   * 9 section, 10 text, 11 thumbnail, 12 gallery, 13 file, 14 separator, 17 container, 18 label, 19 file upload.
   */
  readonly type: number;
  readonly id?: number;
  readonly custom_id?: string;
  /** Of rows, sections, containers. */
  readonly components?: readonly PageComponent[];
  /** Of a label in a form. */
  readonly component?: PageComponent;
  /** Of a section: a button or thumbnail. */
  readonly accessory?: PageComponent;
  readonly label?: string | null;
  readonly description?: string | null;
  /** Button: 1 primary, 2 secondary, 3 success, 4 danger, 5 link. Text input: 1 short, 2 paragraph. */
  readonly style?: number;
  readonly emoji?: PageEmoji | null;
  /** Of a link button. */
  readonly url?: string;
  readonly disabled?: boolean | null;
  readonly placeholder?: string | null;
  readonly options?: readonly PageSelectOption[];
  readonly min_values?: number;
  readonly max_values?: number;
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly channel_types?: readonly number[];
  /** In a form; true when it is missing. */
  readonly required?: boolean | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
  /** Of a text input: what it begins with. */
  readonly value?: string | null;
  /** Of text: markdown. */
  readonly content?: string;
  /** Of a thumbnail. */
  readonly media?: PageImage;
  /** Of a file. */
  readonly file?: PageImage & { readonly name?: string; readonly size?: number };
  /** Of a gallery. */
  readonly items?: readonly {
    readonly media: PageImage;
    readonly description?: string;
    readonly spoiler?: boolean;
  }[];
  readonly spoiler?: boolean;
  readonly accent_color?: number | null;
  readonly divider?: boolean;
  /** 1 small, 2 large. */
  readonly spacing?: number;
  /** Of a file upload: kinds such as `image` or endings such as `.png`; missing or empty: all. */
  readonly file_types?: readonly string[] | null;
}

export interface PageSelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string | null;
  readonly emoji?: PageEmoji | null;
  readonly default?: boolean | null;
}

/** A use of the bot by the viewer: a command, a component or a form. Suggestions are not among them. */
export interface PageUse {
  readonly id: string;
  readonly kind: 'command' | 'component' | 'form';
  readonly channel_id: string;
  /** Without slash; null for components and forms. */
  readonly command: string | null;
  /** The message whose component was used, and which component. */
  readonly source_message_id: string | null;
  readonly custom_id: string | null;
  /**
   * `waiting`: show "Sending command...", a busy button. `deferred`: acknowledged, the message says more. `replied`.
   * `failed`: "The application did not respond", seen by this member alone.
   */
  readonly state: 'waiting' | 'deferred' | 'replied' | 'failed';
  readonly created_at_ms: number;
  readonly acknowledged_after_ms: number | null;
  /** The form to show at once; `null` when the bot opened none. */
  readonly form: PageForm | null;
}

export interface PageForm {
  readonly title: string;
  readonly custom_id: string;
  readonly components: readonly PageComponent[];
}

/** A command that the member may use in a channel. */
export interface PageCommand {
  readonly id: string;
  readonly application: PageUser;
  /** `chat`: typed with a slash. The others are entries of context menus. */
  readonly kind: 'chat' | 'user' | 'message';
  readonly name: string;
  readonly description: string;
  /** With subcommands (`type` 1) and groups of them (2) at the top where there are any. */
  readonly options: readonly PageCommandOption[];
}

export interface PageCommandOption {
  /** 1 subcommand, 2 group, 3 text, 4 whole number, 5 boolean, 6 user, 7 channel, 8 role, 9 mentionable, 10 number, 11 file. */
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly autocomplete: boolean;
  readonly choices: readonly { readonly name: string; readonly value: string | number }[];
  readonly min_value: number | null;
  readonly max_value: number | null;
  readonly min_length: number | null;
  readonly max_length: number | null;
  /** Discord's numbers: 0 text, 2 voice, 13 stage; empty: all. */
  readonly channel_types: readonly number[];
  /** Kinds such as `image` or endings such as `.png`; empty: all. */
  readonly file_types: readonly string[];
  readonly options: readonly PageCommandOption[];
}

/** A file that waits for its use. */
export interface PageUpload {
  readonly upload_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
}

/** A file of the sample gallery. */
export interface PageSample {
  readonly name: string;
  readonly kind: 'image' | 'video' | 'audio';
  readonly content_type: string;
  readonly size: number;
  /** On the page's own address. */
  readonly url: string;
  /** What it shows, in a few words. */
  readonly title: string;
  /** Whether it can be said in a voice channel (WAV). */
  readonly speakable: boolean;
}

/** The sample gallery. `note` says who made the samples, or why there are none. */
export interface PageSamples {
  readonly samples: readonly PageSample[];
  readonly note: string;
}

/** One entry of the wire panel. Nothing secret is in it: no keys, tokens, queries or bodies. */
export interface PageWireEntry {
  /** Grows by one. */
  readonly id: number;
  readonly at_ms: number;
  /**
   * Grows with each thing that somebody did on the page. What is about a use of the bot belongs to the action that the use
   * was, however late it comes; other traffic to the latest action. 0: before the first, or of none that is known.
   */
  readonly action: number;
  /** `chat`: what the member did. `fault`: a fault was ordered or happened. */
  readonly source:
    | 'chat'
    | 'rest'
    | 'gateway'
    | 'voice'
    | 'media_api'
    | 'webhook'
    | 'session'
    | 'ledger'
    | 'fault';
  /** Such as `POST /channels/:channelId/messages`, `INTERACTION_CREATE`, `hold`. */
  readonly what: string;
  readonly status: number | string | null;
  /** How long it took, in milliseconds. */
  readonly ms: number | null;
  /** Sizes, counts, amounts and the like, by name. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Everything the wire panel knows, oldest first. */
export interface PageWire {
  readonly entries: readonly PageWireEntry[];
  /** The number of the latest thing that somebody did. */
  readonly action: number;
}

/** A fault button. */
export interface PageFault {
  readonly name: PageFaultName;
  readonly title: string;
  readonly explanation: string;
  /** `once`: happens at the press, or to the next few; `on` is true while some are still to come. `switch`: until it is off. */
  readonly kind: 'once' | 'switch';
  readonly on: boolean;
  /** Why the button cannot be used here; null when it can. */
  readonly unavailable: string | null;
}

export type PageFaultName =
  | 'drop_gateway'
  | 'lose_webhook'
  | 'voice_loss'
  | 'no_capacity'
  | 'rest_500'
  | 'rest_429'
  | 'silent_bot';
