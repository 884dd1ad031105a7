/**
 * The contract between the chat page and the sandbox. This file has only types, so that browser code may import it.
 *
 * The page is at `/chat/` (with its files below it) on the sandbox's own address, and on a second address if the page
 * is opened to a network (`page-server.ts`). Loading the page sets the cookie of a page session. Links to files lead to
 * the address from which the page was loaded. Everything else is the control API below `/control`
 * (`control/control-server.ts`): a browser needs the cookie and the page's own origin. Errors are `{error}` with 400,
 * 403 (foreign page or no session: the page must be loaded again), 404 or 413.
 *
 * Reading:
 * - `GET /control/users/:user/state` -> `PageState`, which the socket also sends
 * - `GET /control/users/:user/channels/:channel/messages?before=<message id>&limit=<1-100, default 50>` ->
 *   `PageMessages`
 * - `GET /control/users/:user/channels/:channel/commands` -> `PageCommand[]`: chat commands and context menu entries
 *   that the user may use there
 * - `GET /control/samples` -> `PageSamples`; `GET /control/samples/:name` -> the file
 * - `GET /control/faults` -> `PageFault[]`; `GET /control/wire` -> `PageWire`; `DELETE /control/wire` empties it
 *
 * Acting as a member, at `/control/guilds/:guild/members/:member`, with JSON bodies:
 * - `POST .../runs {command: "/budget set", in: channel, options?}` -> `PageUseStarted`; options by name: text, number,
 *   boolean, `{id}` (user, channel, role), `{file: PageFileInput}`
 * - `POST .../runs-on {name, in: channel, message_id | member_id}` -> `PageUseStarted`; `in` is the message's channel
 * - `POST .../presses {button: custom_id, channel_id, message_id}` -> `PageUseStarted`
 * - `POST .../selects {menu: custom_id, values, channel_id, message_id}` -> `PageUseStarted`
 * - `POST .../submits {use_id, values}` -> `PageUseStarted`; values by the input's custom_id: text, list of texts or
 *   ids, `{file: PageFileInput}` or a list of these
 * - `POST .../completes {command, in: channel, option, typed, options?}` -> `PageSuggestion[]`; `typed` is text, or a
 *   number for options of type 4 and 10
 * - `POST .../says {content, in: channel, files?: PageFileInput[]}` -> the message
 * - `POST .../deletes {channel_id, message_id}` deletes the member's own message, or any message with MANAGE_MESSAGES.
 *   The page dismisses an ephemeral message by itself, without a request
 * - `POST .../voice/joins {in: channel, self_mute?, self_deaf?}`, `.../voice/leaves {}`, `.../voice/sets {self_mute?,
 *   self_deaf?}` (moderators: `mute, deaf, move_to, may_speak` of the member in the path), `.../voice/disconnects {}`,
 *   `.../voice/speaks {sample: name}` -> `{duration_ms}`. A member who joins a call in one server leaves any call in
 *   another.
 *
 * Files: `POST /control/uploads?name=clip.mp4` -> `PageUpload`; the body contains the bytes as
 * `application/octet-stream`. An upload is stored for 15 minutes and may be used several times.
 *
 * Faults: `POST /control/faults {named: {name: PageFaultName, on: boolean}}` -> `PageFault[]`.
 *
 * Live: one WebSocket at `/control/live`. The page sends `PageRequest` as JSON text and microphone packets; the sandbox
 * sends `PageEvent` as JSON text and audio packets. Each event contains the current state of something, never only the
 * difference from before. A slow page receives only the newest state, or `resync` if so much has changed that it must
 * load its messages again.
 */
import type { PageMessage } from './message-views.ts';
import type { PageBot, PageChannel, PageGuild, PageState } from './page-views.ts';
import type { PageUse } from './use-views.ts';
import type { PageFault, PageWireEntry } from './wire-views.ts';

/**
 * From the page to the sandbox. A page sends `act` first, and again to act as another user; with `as: null`, it acts
 * as the first user of `people`. The response is `state`.
 */
export type PageRequest =
  | { readonly t: 'act'; readonly as: string | null }
  /**
   * Selects which of the call's packets are sent: members' own voices, bots' speech, both or none. Initially `none`.
   */
  | { readonly t: 'hear'; readonly which: 'none' | 'original' | 'converted' | 'all' }
  /**
   * Selects whether wire panel entries are sent. Initially they are not. When this is switched on, all kept entries are
   * sent.
   */
  | { readonly t: 'watch_wire'; readonly on: boolean };

/** From the sandbox to the page. */
export type PageEvent =
  /** The response to `act`. It includes uses that are pending and uses that failed within the last 5 minutes. */
  | {
      readonly t: 'state';
      readonly state: PageState;
      readonly uses: readonly PageUse[];
      readonly faults: readonly PageFault[];
    }
  /** A server in its current state: channels, members, roles and voice states. */
  | { readonly t: 'guild'; readonly guild: PageGuild }
  | { readonly t: 'guild_gone'; readonly id: string }
  | { readonly t: 'direct_messages'; readonly channels: readonly PageChannel[] }
  /** A message that the user may see, after it was created, changed or deleted. */
  | { readonly t: 'message'; readonly message: PageMessage }
  /** A new or changed use of the bot by the user. */
  | { readonly t: 'use'; readonly use: PageUse }
  | { readonly t: 'bot'; readonly bot: PageBot }
  /** A user in a channel started or stopped speaking. */
  | {
      readonly t: 'speaking';
      readonly channel_id: string;
      readonly user_id: string;
      readonly speaking: boolean;
    }
  /** A bot is typing in a channel. The page shows this for 10 s or until the bot's next message there. */
  | { readonly t: 'typing'; readonly channel_id: string; readonly user_id: string }
  | { readonly t: 'faults'; readonly faults: readonly PageFault[] }
  /** New entries, oldest first. `missed` entries were dropped because the page was slow. */
  | { readonly t: 'wire'; readonly entries: readonly PageWireEntry[]; readonly missed: number }
  /** Some changes to messages or uses were not sent. The page must reload the messages and uses that it shows. */
  | { readonly t: 'resync' }
  /** The page sent an invalid message. */
  | { readonly t: 'error'; readonly error: string };

/**
 * The use that an action started. Its later states arrive as `use` events with the same id. The response's other
 * fields are not listed here, because only programs need them.
 */
export interface PageUseStarted {
  readonly id: string;
  readonly state: PageUse['state'];
}

/** A suggestion for an option. */
export interface PageSuggestion {
  readonly name: string;
  readonly value: string | number;
}

/** A file for a command, a form or a message: uploaded earlier, from the gallery, or in the request itself. */
export type PageFileInput =
  | { readonly upload_id: string }
  | { readonly sample: string }
  | { readonly name: string; readonly base64: string; readonly content_type?: string };

/**
 * A microphone packet. Binary, from the page to the sandbox: one Opus packet of the microphone, 20 ms at 48 kHz, as
 * `AudioEncoder` produces it.
 *
 *     byte 0      1
 *     bytes 1-4   timestamp in samples at 48 kHz, modulo 2^32, big endian
 *     bytes 5-    the Opus packet, at most 1,275 bytes
 *
 * Packets are accepted while the acting member is in a voice channel, is not muted and plays no sample; others are
 * dropped. Speech ends 100 ms after the last packet. Packets beyond 50 per second are dropped, apart from bursts of at
 * most 50 packets.
 */

/**
 * An audio packet. Binary, from the sandbox to the page: one Opus packet that the member hears, to be decoded by one
 * `AudioDecoder` per `ssrc`.
 *
 *     byte 0       2
 *     byte 1       1 for a bot's speech ("converted"), else 0 ("original")
 *     bytes 2-3    sequence number, modulo 2^16, big endian
 *     bytes 4-7    timestamp in samples at 48 kHz, modulo 2^32, big endian
 *     bytes 8-11   ssrc, big endian
 *     bytes 12-19  the speaker's user id, big endian (`DataView.getBigUint64`)
 *     bytes 20-    the Opus packet, mono or stereo, 48 kHz
 *
 * If the page is slow, the oldest packets are dropped; the sequence numbers then have gaps.
 */
