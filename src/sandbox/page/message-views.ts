/**
 * Messages as the chat page shows them. This file has only types, so that browser code may import it. Naming follows
 * `page-views.ts`.
 */

import type { PageUser } from './page-views.ts';

/** A message as one user sees it. `version` increases with every change, so that the newer of two states wins. */
export interface PageMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id: string | null;
  readonly version: number;
  /** Whether the message was deleted and must be removed from the list. Its content fields are then empty. */
  readonly deleted: boolean;
  readonly author: PageUser;
  /** Discord's markdown. Mentions are `<@id>`, `<@&id>` and `<#id>`; times are `<t:seconds:R>`. */
  readonly content: string;
  readonly mentions: {
    readonly users: readonly { readonly id: string; readonly name: string }[];
    readonly role_ids: readonly string[];
    readonly everyone: boolean;
    /** Whether the message mentions the viewer. */
    readonly me: boolean;
  };
  /** The embeds as Discord's API returns them, with complete links. */
  readonly embeds: readonly PageEmbed[];
  /** The components as Discord's API returns them, with complete links. Rows unless `components_v2` is true. */
  readonly components: readonly PageComponent[];
  readonly components_v2: boolean;
  readonly attachments: readonly PageFile[];
  /** Whether only the viewer can see the message. */
  readonly ephemeral: boolean;
  readonly created_at_ms: number;
  readonly edited_at_ms: number | null;
  /**
   * The time until which the message is shown as "... is thinking", and after which it is shown as "The application did
   * not respond". Null for all other messages.
   */
  readonly thinking_until_ms: number | null;
  /**
   * Shown as "Ada used /photo-swap" above the message; null if no use of the bot caused the message. `command` is
   * null for a button or form.
   */
  readonly used: { readonly by: PageUser; readonly command: string | null } | null;
  /** The message to which this message replies, or whose component was used. */
  readonly reply_to: PageExcerpt | null;
  /** A forwarded message in the state in which it was forwarded. */
  readonly forwarded: {
    readonly content: string;
    readonly embeds: readonly PageEmbed[];
    readonly attachments: readonly PageFile[];
  } | null;
}

/** Messages that the user may see, newest last. */
export interface PageMessages {
  readonly messages: readonly PageMessage[];
  /** Whether there are older messages. To load them, pass the first message's id as `before`. */
  readonly more: boolean;
}

/** The start of another message. `author` is null if the user cannot see that message or it was deleted. */
export interface PageExcerpt {
  readonly id: string;
  readonly author: PageUser | null;
  readonly text: string;
  readonly has_files: boolean;
}

/** A file. Its link is valid for a day and can be loaded by an `<img>`, `<video>` or `<audio>`. */
export interface PageFile {
  readonly id: string;
  readonly filename: string;
  readonly content_type: string;
  /** In bytes. */
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

/** A Discord embed. */
export interface PageEmbed {
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  /** In ISO 8601 format. */
  readonly timestamp?: string;
  /** The colour as 0xRRGGBB. */
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

/** A Discord component in a message or form. It has only the properties of its `type`. */
export interface PageComponent {
  /**
   * 1 row, 2 button, 3 string select, 4 text input, 5 user select, 6 role select, 7 mentionable select, 8 channel
   * select, 9 section, 10 text, 11 thumbnail, 12 gallery, 13 file, 14 separator, 17 container, 18 label, 19 file
   * upload.
   */
  readonly type: number;
  readonly id?: number;
  readonly custom_id?: string;
  /** For rows, sections and containers. */
  readonly components?: readonly PageComponent[];
  /** For a label: the field that it labels. */
  readonly component?: PageComponent;
  /** For a section: a button or thumbnail. */
  readonly accessory?: PageComponent;
  readonly label?: string | null;
  readonly description?: string | null;
  /** Button: 1 primary, 2 secondary, 3 success, 4 danger, 5 link. Text input: 1 short, 2 paragraph. */
  readonly style?: number;
  readonly emoji?: PageEmoji | null;
  /** For a link button. */
  readonly url?: string;
  readonly disabled?: boolean | null;
  readonly placeholder?: string | null;
  readonly options?: readonly PageSelectOption[];
  readonly min_values?: number;
  readonly max_values?: number;
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly channel_types?: readonly number[];
  /** For a field of a form. The default is true. */
  readonly required?: boolean | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
  /** For a text input: its initial text. */
  readonly value?: string | null;
  /** For text: markdown. */
  readonly content?: string;
  /** For a thumbnail. */
  readonly media?: PageImage;
  /** For a file. */
  readonly file?: PageImage & { readonly name?: string | null; readonly size?: number | null };
  /** For a gallery. */
  readonly items?: readonly {
    readonly media: PageImage;
    readonly description?: string | null;
    readonly spoiler?: boolean;
  }[];
  readonly spoiler?: boolean;
  readonly accent_color?: number | null;
  readonly divider?: boolean;
  /** 1 small, 2 large. */
  readonly spacing?: number;
  /**
   * For a file upload: types such as `image` or extensions such as `.png`. If it is missing or empty, all files are
   * allowed.
   */
  readonly file_types?: readonly string[] | null;
}

interface PageSelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string | null;
  readonly emoji?: PageEmoji | null;
  readonly default?: boolean | null;
}
