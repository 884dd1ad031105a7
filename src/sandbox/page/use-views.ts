/**
 * How people use bots on the chat page: commands, forms, and the files that they give. Types only, so that code for browsers
 * may import them; the words are those of `page-views.ts`.
 */

import type { PageComponent } from './message-views.ts';
import type { PageUser } from './page-views.ts';

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
