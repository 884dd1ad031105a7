/**
 * Messages as the chat page shows them. Types only, so that code for browsers may import them; the words are those of
 * `page-views.ts`.
 */

import type { PageUser } from './page-views.ts';

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
  readonly file?: PageImage & { readonly name?: string | null; readonly size?: number | null };
  /** Of a gallery. */
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
  /** Of a file upload: kinds such as `image` or endings such as `.png`; missing or empty: all. */
  readonly file_types?: readonly string[] | null;
}

interface PageSelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string | null;
  readonly emoji?: PageEmoji | null;
  readonly default?: boolean | null;
}
