import type { LiveSwapEnd } from '../../sessions/live-swap/live-swap-end.ts';

/**
 * The messages between the pages of Live Swap Pro and Masquerade's web part. The file contains only types, so that code
 * for browsers may import it. Every path is below the web part's prefix; pages use paths relative to their own
 * (`enter`, `socket`).
 *
 * | | |
 * |---|---|
 * | `GET live/` | The member's page. Its link is `…/live/#<key>`, with the key in the fragment, which neither logs nor previews contain |
 * | `POST live/enter` | The body is `EnterRequest` as JSON. The answer is 200 with a cookie (HttpOnly, strict, for `live/`) that opens the socket, or `EnterRefusal` |
 * | `WS live/socket` | The socket of the member's page, which sends `PageMessage` and receives `ToPage` as JSON text; binary messages are pictures |
 * | `GET live/out/` | The page with only the output, for an OBS browser source. Its address is `…/live/out/#<key>` |
 * | `WS live/out/socket` | The socket of the output's page, opened with the subprotocols `[OutputProtocol, key]`. It sends `OutputMessage` and receives `ToOutput` and pictures |
 *
 * After `POST live/enter`, the page removes the key from its address (`history.replaceState`) and connects. After a
 * reload it only connects. Both sockets require that `Origin` is the web part's own. If it is not, or if there is no
 * valid cookie or key, the upgrade is refused with 401 or 403.
 *
 * **Pictures**: each binary message, in both directions, is one JPEG. The receiver acknowledges it at once with
 * `{"type":"taken"}`. While `frames.aheadMax` pictures are unacknowledged, the sender sends no more: it keeps only the
 * newest picture and drops the others, so that nothing queues. The page also drops pictures while `bufferedAmount` is
 * above 0. Not every picture comes back, and the page may skip one if a newer one has arrived.
 *
 * **Timers in a hidden tab** run once a second or less often. Therefore a page must capture in a worker, or with each
 * message that it receives.
 */

/** The subprotocol of the socket of `live/out/`. */
export type OutputProtocol = 'masquerade-live-output';

/** Body of `POST live/enter`. */
export interface EnterRequest {
  /** The 43 characters after `#` in the link. */
  readonly key: string;
}

/**
 * 404 with `gone`: the link was used, is too old, or never existed; `/live start` creates another one. 400 with
 * `malformed`, 403 with `foreign` (another origin), 503 with `stopped`.
 */
export interface EnterRefusal {
  readonly error: { readonly code: 'gone' | 'malformed' | 'foreign' | 'stopped' };
}

/**
 * A message from the member's page. Each has at most 2,048 bytes, and at most 20 per second are allowed, not counting
 * `taken`.
 */
export type PageMessage =
  /** The member agrees to this version of the consent text. */
  | { readonly type: 'agree'; readonly version: string }
  /** Starts the session, which requires the consent. Only then is money held and a paid session opened. */
  | { readonly type: 'start' }
  /** Ends the session, or cancels it while it is starting. */
  | { readonly type: 'stop' }
  /** Requests a new address for the output. The previous address becomes invalid. */
  | { readonly type: 'share' }
  /** Makes the address of the output invalid. */
  | { readonly type: 'unshare' }
  | Taken;

/** A message to the member's page. `hello` comes first, then the state. Each `state` replaces the previous one. */
export type ToPage = Hello | State | Warning | Problem | OutputAddress | Taken;

/** Confirms one binary message from the other side. */
interface Taken {
  readonly type: 'taken';
}

/** The facts that do not change while the page is open. All amounts are whole micro-dollars. */
export interface Hello {
  readonly type: 'hello';
  /** The untrusted name of the server whose budget pays. */
  readonly guildName: string | null;
  /** The host that receives the pictures, such as `media.example.org`. */
  readonly service: string;
  readonly minutes: number;
  /** The member's untrusted prompt; null if the service's default is used. */
  readonly prompt: string | null;
  /** The face from a picture, with its name if the member saved it; null if only the prompt describes the face. */
  readonly face: { readonly name: string | null } | null;
  /** The expected cost of one minute; null if the rate card does not list it. */
  readonly perMinute: number | null;
  /**
   * The approximate amount that is held for all the minutes; null if the rate card does not list the price. At the
   * end, the unused part is released.
   */
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
  /** The largest width and height of a picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The largest picture in bytes. A larger message closes the socket. */
  readonly bytesMax: number;
  /** The maximum number of pictures per second. Pictures above this rate are dropped. */
  readonly perSecondMax: number;
  /** The largest number of unacknowledged binary messages in one direction. */
  readonly aheadMax: number;
}

/** The state of the session. Sent on every change, and once a second while the session is live. */
export type State = { readonly type: 'state' } & LivePhase;

type LivePhase =
  /** Nothing costs money yet. */
  | {
      readonly phase: 'waiting';
      readonly agreed: boolean;
      /** After this time (epoch milliseconds), the session cannot be started. */
      readonly startByMs: number;
    }
  /** Money is held, and the session was requested from the service. */
  | { readonly phase: 'connecting' }
  | LiveState
  /** The session has ended. Sent again when the charge is known. */
  | {
      readonly phase: 'ended';
      readonly why: LiveSwapEnd;
      /** A sentence that describes `why`, and what to do next. */
      readonly text: string;
      readonly usedSeconds: number;
      /** The cost according to the bot's meter. */
      readonly used: number;
      /** The charge in the service's record; null until it is known. */
      readonly charged: number | null;
    };

/** The session is open at the service. It costs money from the first returned picture. */
interface LiveState {
  readonly phase: 'live';
  readonly usedSeconds: number;
  readonly leftSeconds: number;
  /** The granted time, which may be less than `minutes` x 60. The page shows it. */
  readonly grantedSeconds: number;
  /** The cost according to the bot's meter. */
  readonly used: number;
  /** The unused part of the held amount. */
  readonly left: number;
  /** The untrusted prompt that the service uses, which may be its default. */
  readonly prompt: string | null;
  /** Number of viewers at the output's address. */
  readonly viewers: number;
}

/** The session ends soon. Sent once, one minute before the end. */
interface Warning {
  readonly type: 'warning';
  readonly leftSeconds: number;
}

/** A request failed. The text explains what to do next; the state message shows the state of the session. */
interface Problem {
  readonly type: 'problem';
  readonly text: string;
}

/**
 * The address of the output; null if there is none. Everybody with the address sees the output until `unshare`, the
 * next `share`, or the end of the session.
 */
interface OutputAddress {
  readonly type: 'output';
  readonly url: string | null;
}

/** A message from the output's page. */
export type OutputMessage = Taken;

/** A message to the output's page. Binary messages are pictures, each of which replaces the previous one. */
export type ToOutput = {
  readonly type: 'state';
  /** The page removes the picture unless the phase is `live`. */
  readonly phase: 'waiting' | 'live' | 'ended';
};

/**
 * Why the server closes a socket. 4000: the session has ended, and no message follows. 4001: another of the member's
 * pages has replaced this one. 4002: the output's address is no longer valid, or it has too many viewers. 1001: the bot
 * is stopping. 1008: a message was not valid. 1009: a message was too large.
 */
export type CloseCode = 1001 | 1008 | 1009 | 4000 | 4001 | 4002;
