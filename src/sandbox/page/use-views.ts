/**
 * Uses of bots on the chat page: commands, forms and their files. This file has only types, so that browser code may
 * import it. Naming follows `page-views.ts`.
 */

import type { PageComponent } from './message-views.ts';
import type { PageUser } from './page-views.ts';

/** A use of the bot by the viewer: a command, a component or a form, but not a request for suggestions. */
export interface PageUse {
  readonly id: string;
  readonly kind: 'command' | 'component' | 'form';
  readonly channel_id: string;
  /** The name without a slash; null for components and forms. */
  readonly command: string | null;
  /** The id of the message whose component was used. `custom_id` identifies the component or form. */
  readonly source_message_id: string | null;
  readonly custom_id: string | null;
  /**
   * `waiting`: the page shows "Sending command..." or a busy button. `deferred`: the bot acknowledged the use, and a
   * message shows the progress. `replied`: the bot replied. `failed`: "The application did not respond", visible only
   * to this member.
   */
  readonly state: 'waiting' | 'deferred' | 'replied' | 'failed';
  readonly created_at_ms: number;
  readonly acknowledged_after_ms: number | null;
  /** The form to show at once, or `null` if the bot opened none. */
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
  /** `chat` commands are typed with a slash. The others are entries of context menus. */
  readonly kind: 'chat' | 'user' | 'message';
  readonly name: string;
  readonly description: string;
  /** The options. At the top level, they may be subcommands (`type` 1) and groups of subcommands (2). */
  readonly options: readonly PageCommandOption[];
}

export interface PageCommandOption {
  /**
   * 1 subcommand, 2 group, 3 text, 4 whole number, 5 boolean, 6 user, 7 channel, 8 role, 9 mentionable, 10 number, 11
   * file.
   */
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
  /** Discord's numbers: 0 text, 2 voice, 13 stage. If empty, all channels are allowed. */
  readonly channel_types: readonly number[];
  /** Types such as `image` or extensions such as `.png`. If empty, all files are allowed. */
  readonly file_types: readonly string[];
  readonly options: readonly PageCommandOption[];
}

/** A file that was uploaded for later use. */
export interface PageUpload {
  readonly upload_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
}

/** A file in the sample gallery. */
export interface PageSample {
  readonly name: string;
  readonly kind: 'image' | 'video' | 'audio';
  readonly content_type: string;
  readonly size: number;
  /** A link to the page's own address. */
  readonly url: string;
  /** A short description of the content. */
  readonly title: string;
  /** Whether the sample can be played in a voice channel, because it is a WAV file. */
  readonly speakable: boolean;
}

/** The sample gallery. `note` explains where the samples come from, or why there are none. */
export interface PageSamples {
  readonly samples: readonly PageSample[];
  readonly note: string;
}
