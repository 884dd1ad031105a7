/**
 * The contract between the chat page and the sandbox. Types only, so that code for browsers may import them.
 *
 * The page is at `/chat/` (files below it) of the sandbox's own address, and of a door's where one is opened to a network
 * (`page-door.ts`); loading it sets the cookie of a page session. Links to files lead to where the page came from.
 * Everything else is the control API below `/control` (`control/control-server.ts`): a browser needs the cookie and the
 * page's own origin. Errors are `{error}` with 400, 403 (foreign page or no session: load the page again), 404 or 413.
 *
 * Reading:
 * - `GET /control/users/:user/state` -> `PageState`, what the socket sends too
 * - `GET /control/users/:user/channels/:channel/messages?before=<message id>&limit=<1-100, default 50>` -> `PageMessages`
 * - `GET /control/users/:user/channels/:channel/commands` -> `PageCommand[]`: chat commands and context menu entries that
 *   the user may use there
 * - `GET /control/samples` -> `PageSamples`; `GET /control/samples/:name` the file
 * - `GET /control/faults` -> `PageFault[]`; `GET /control/wire` -> `PageWire`; `DELETE /control/wire` empties it
 *
 * Acting as a member, at `/control/guilds/:guild/members/:member`, JSON bodies:
 * - `POST .../runs {command: "/budget set", in: channel, options?}` -> `PageUseStarted`; options by name: text, number,
 *   boolean, `{id}` (user, channel, role), `{file: PageFileInput}`
 * - `POST .../runs-on {name, in: channel, message_id | member_id}` -> `PageUseStarted`; `in` is the message's channel
 * - `POST .../presses {button: custom_id, channel_id, message_id}` -> `PageUseStarted`
 * - `POST .../selects {menu: custom_id, values, channel_id, message_id}` -> `PageUseStarted`
 * - `POST .../submits {use_id, values}` -> `PageUseStarted`; values by custom_id of the input: text, list of texts or ids,
 *   `{file: PageFileInput}` or a list of these
 * - `POST .../completes {command, in: channel, option, typed, options?}` -> `PageSuggestion[]`; `typed` is text, or a number for
 *   options of type 4 and 10
 * - `POST .../says {content, in: channel, files?: PageFileInput[]}` -> the message
 * - `POST .../deletes {channel_id, message_id}`: the own message, or anybody's with MANAGE_MESSAGES. To dismiss an ephemeral
 *   message is the page's affair alone
 * - `POST .../voice/joins {in: channel, self_mute?, self_deaf?}`, `.../voice/leaves {}`, `.../voice/sets {self_mute?, self_deaf?}`
 *   (moderators: `mute, deaf, move_to, may_speak` of the member in the path), `.../voice/disconnects {}`,
 *   `.../voice/speaks {sample: name}` -> `{duration_ms}`. Who joins in one server leaves the call of another.
 *
 * Files: `POST /control/uploads?name=clip.mp4`, body the bytes as `application/octet-stream` -> `PageUpload`. An upload waits
 * for its use for 15 minutes and may be used often.
 *
 * Faults: `POST /control/faults {named: {name: PageFaultName, on: boolean}}` -> `PageFault[]`.
 *
 * Live: one WebSocket at `/control/live`. The page sends `PageRequest` as JSON text and microphone packets; the sandbox sends
 * `PageEvent` as JSON text and heard packets. All events state how something is now, never what changed: a page that is slow
 * gets the newest state, and `resync` when so much passed that it must load its messages again.
 */
import type { PageMessage } from './message-views.ts';
import type { PageBot, PageChannel, PageGuild, PageState } from './page-views.ts';
import type { PageUse } from './use-views.ts';
import type { PageFault, PageWireEntry } from './wire-views.ts';

/**
 * Page to sandbox. `act` comes first, and again to act as somebody else; null is the first of `people`. It is answered
 * with `state`.
 */
export type PageRequest =
  | { readonly t: 'act'; readonly as: string | null }
  /** Whose packets to send of the call that the member is in: members' own voices, what bots say, or both. At first `none`. */
  | { readonly t: 'hear'; readonly which: 'none' | 'original' | 'converted' | 'all' }
  /** Whether the entries of the wire panel are sent. At first they are not; when switched on all kept ones come. */
  | { readonly t: 'watch_wire'; readonly on: boolean };

/** Sandbox to page. */
export type PageEvent =
  /** Answer to `act`. Uses that are still open, and failed ones of the last minutes, come along. */
  | {
      readonly t: 'state';
      readonly state: PageState;
      readonly uses: readonly PageUse[];
      readonly faults: readonly PageFault[];
    }
  /** A server as it is now: channels, members, roles, voice states. */
  | { readonly t: 'guild'; readonly guild: PageGuild }
  | { readonly t: 'guild_gone'; readonly id: string }
  | { readonly t: 'direct_messages'; readonly channels: readonly PageChannel[] }
  /** A message that the user may see, new, changed or deleted. */
  | { readonly t: 'message'; readonly message: PageMessage }
  /** A use of the bot by the user, new or changed. */
  | { readonly t: 'use'; readonly use: PageUse }
  | { readonly t: 'bot'; readonly bot: PageBot }
  /** Somebody in a channel began or stopped to speak. */
  | {
      readonly t: 'speaking';
      readonly channel_id: string;
      readonly user_id: string;
      readonly speaking: boolean;
    }
  /** A bot types in a channel; to be shown for 10 s or until its next message there. */
  | { readonly t: 'typing'; readonly channel_id: string; readonly user_id: string }
  | { readonly t: 'faults'; readonly faults: readonly PageFault[] }
  /** New entries, oldest first. `missed` were dropped because the page was slow. */
  | { readonly t: 'wire'; readonly entries: readonly PageWireEntry[]; readonly missed: number }
  /** Messages and uses changed that were not sent: load what is shown again. */
  | { readonly t: 'resync' }
  /** What the page sent made no sense. */
  | { readonly t: 'error'; readonly error: string };

/** The use that an action began; it goes on by `use` events with this id. More fields are for programs. */
export interface PageUseStarted {
  readonly id: string;
  readonly state: PageUse['state'];
}

/** A suggestion for an option. */
export interface PageSuggestion {
  readonly name: string;
  readonly value: string | number;
}

/** A file given to a command, a form or a message: uploaded before, from the gallery, or in place. */
export type PageFileInput =
  | { readonly upload_id: string }
  | { readonly sample: string }
  | { readonly name: string; readonly base64: string; readonly content_type?: string };

/**
 * Microphone packet. Binary, page to sandbox: one Opus packet of the microphone, 20 ms at 48 kHz, as `AudioEncoder` makes it.
 *
 *     byte 0      1
 *     bytes 1-4   timestamp in samples of 48 kHz, modulo 2^32, big endian
 *     bytes 5-    the Opus packet, at most 1,275 bytes
 *
 * Packets count while the member acted as is in a voice channel, is not muted and says no sample; others are dropped. Speech
 * ends 100 ms after the last packet. More than 50 packets a second (with a second's reserve) are dropped.
 */

/**
 * Heard packet. Binary, sandbox to page: one Opus packet that the member heard, to be decoded by one `AudioDecoder` for each `ssrc`.
 *
 *     byte 0       2
 *     byte 1       1 when a bot said it ("converted"), else 0 ("original")
 *     bytes 2-3    sequence number, modulo 2^16, big endian
 *     bytes 4-7    timestamp in samples of 48 kHz, modulo 2^32, big endian
 *     bytes 8-11   ssrc, big endian
 *     bytes 12-19  the speaker's user id, big endian (`DataView.getBigUint64`)
 *     bytes 20-    the Opus packet, mono or stereo, 48 kHz
 *
 * When the page is slow the oldest are dropped; gaps show in the sequence numbers.
 */
