import type { LiveSwapEnd } from '../../sessions/live-swap/live-swap-end.ts';

/**
 * The messages between the pages of Live Swap Pro and Masquerade's web part. The file has types only, so that code for
 * browsers may import it. Every path is below the web part's prefix; pages use paths relative to their own (`enter`,
 * `socket`).
 *
 * | | |
 * |---|---|
 * | `GET live/` | The member's page. Its link is `…/live/#<key>`: in the fragment, so that neither logs nor previews see the key |
 * | `POST live/enter` | JSON `EnterRequest`. 200: a cookie (HttpOnly, strict, for `live/`) that opens the socket. Otherwise `EnterRefusal` |
 * | `WS live/socket` | The member's page: `PageMessage` up, `ToPage` down, as JSON texts; binary messages are pictures |
 * | `GET live/out/` | The output alone, for an OBS browser source. Its address is `…/live/out/#<key>` |
 * | `WS live/out/socket` | Opened with the subprotocols `[OutputProtocol, key]`: `OutputMessage` up, `ToOutput` down; pictures down |
 *
 * A page that was entered removes the key from its address (`history.replaceState`) and connects. After a reload it
 * only connects. Both sockets require that `Origin` is the web part's own. Otherwise, and without a valid cookie or
 * key, the upgrade is refused with 401 or 403.
 *
 * **Pictures** are one JPEG per binary message in both directions, and nothing else. The receiver answers each binary
 * message at once with `{"type":"taken"}`. The sender sends no further one while `frames.aheadMax` are unanswered: it
 * keeps only the newest picture and drops the others, so that nothing queues. The page also drops pictures while
 * `bufferedAmount` is above 0. Not every picture comes back, and one need not be shown if a newer one has arrived.
 *
 * **Timers in a hidden tab** run once a second or less; a page should capture in a worker, or with each message.
 */

/** The subprotocol of the socket of `live/out/`. */
export type OutputProtocol = 'masquerade-live-output';

/** Body of `POST live/enter`. */
export interface EnterRequest {
  /** The 43 characters after `#` in the link. */
  readonly key: string;
}

/**
 * 404 with `gone`: the link was used, is too old, or never existed; `/live start` gives a new one. 400 with
 * `malformed`, 403 with `foreign` (another origin), 503 with `stopped`.
 */
export interface EnterRefusal {
  readonly error: { readonly code: 'gone' | 'malformed' | 'foreign' | 'stopped' };
}

/** From the member's page. At most 2,048 bytes each, and 20 a second besides `taken`. */
export type PageMessage =
  /** The member agrees to this version of the text. */
  | { readonly type: 'agree'; readonly version: string }
  /** Needs the consent. Only now money is held and a paid session opened. */
  | { readonly type: 'start' }
  /** Ends the session, or a start that is under way, for good. */
  | { readonly type: 'stop' }
  /** Asks for a new address of the output. The previous one no longer works. */
  | { readonly type: 'share' }
  /** Makes the address of the output invalid. */
  | { readonly type: 'unshare' }
  | Taken;

/** To the member's page. `hello` comes first, then the state. Each `state` replaces the previous one. */
export type ToPage = Hello | State | Warning | Problem | OutputAddress | Taken;

/** Confirms one binary message of the other side. */
interface Taken {
  readonly type: 'taken';
}

/** The facts that do not change while the page is open. Money is whole micro-dollars everywhere. */
export interface Hello {
  readonly type: 'hello';
  /** The server whose budget pays. Untrusted text. */
  readonly guildName: string | null;
  /** The address that receives the pictures, such as `media.example.org`. */
  readonly service: string;
  readonly minutes: number;
  /** The member's prompt; null if the service's default is used. Untrusted text. */
  readonly prompt: string | null;
  /** The face of a picture, with its name if the member saved it; null if the prompt alone describes the face. */
  readonly face: { readonly name: string | null } | null;
  /** The expected cost of a minute; null if the rate card does not say. */
  readonly perMinute: number | null;
  /** About the amount held for all minutes. The unused part is released. Null as above. */
  readonly heldMax: number | null;
  readonly consent: Consent;
  readonly frames: FrameRules;
  /** The session ends after this time without a picture from the page. */
  readonly silentSeconds: number;
}

interface Consent {
  readonly version: string;
  /** Paragraphs of plain text, shown before the camera is opened. */
  readonly paragraphs: readonly string[];
}

export interface FrameRules {
  /** The largest size of a picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** A larger message closes the socket. */
  readonly bytesMax: number;
  /** More are dropped. */
  readonly perSecondMax: number;
  /** The most unanswered binary messages of one side. */
  readonly aheadMax: number;
}

/** Sent with every change, and once a second while it is live. */
export type State = { readonly type: 'state' } & LivePhase;

type LivePhase =
  /** Nothing costs anything. */
  | {
      readonly phase: 'waiting';
      readonly agreed: boolean;
      /** Nobody can start after that (epoch milliseconds). */
      readonly startByMs: number;
    }
  /** Money is held and the service asked. */
  | { readonly phase: 'connecting' }
  | LiveState
  /** The session is over for good. Sent again when the charge is known. */
  | {
      readonly phase: 'ended';
      readonly why: LiveSwapEnd;
      /** The same in a sentence, and what to do next. */
      readonly text: string;
      readonly usedSeconds: number;
      /** By the meter of the bot. */
      readonly used: number;
      /** By the service's record; null until it is known. */
      readonly charged: number | null;
    };

/** The session is open at the service, and costs money from the first picture that comes back. */
interface LiveState {
  readonly phase: 'live';
  readonly usedSeconds: number;
  readonly leftSeconds: number;
  /** The granted time, which may be less than `minutes` x 60. The page shows it. */
  readonly grantedSeconds: number;
  /** By the meter of the bot. */
  readonly used: number;
  /** The rest of the amount held. */
  readonly left: number;
  /** The prompt as the service understood it, the default included. Untrusted text. */
  readonly prompt: string | null;
  /** Viewers at the output's address. */
  readonly viewers: number;
}

/** The session ends soon. Sent once, a minute before. */
interface Warning {
  readonly type: 'warning';
  readonly leftSeconds: number;
}

/** A request was not carried out. The text says what to do next; the state says how the session stands. */
interface Problem {
  readonly type: 'problem';
  readonly text: string;
}

/** Everybody with the address sees the output until `unshare`, the next `share`, or the end. Null if there is none. */
interface OutputAddress {
  readonly type: 'output';
  readonly url: string | null;
}

/** From the output's page. */
export type OutputMessage = Taken;

/** To the output's page. Binary messages are pictures, each of which replaces the previous one. */
export type ToOutput = {
  readonly type: 'state';
  /** The page removes the picture unless the phase is `live`. */
  readonly phase: 'waiting' | 'live' | 'ended';
};

/**
 * Why the web part closes a socket. 4000: the session is over, and no message follows. 4001: another page of the member
 * took the place. 4002: the output's address no longer works, or it has too many viewers. 1001: the bot stops. 1008: a
 * message was not valid. 1009: a message was too large.
 */
export type CloseCode = 1001 | 1008 | 1009 | 4000 | 4001 | 4002;
