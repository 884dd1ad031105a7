import type { LiveSwapEnd } from '../../sessions/live-swap/live-swap-end.ts';

/**
 * What the pages of Live Swap Pro and Masquerade's web part say to each other. Types only, so that code for browsers
 * may import it. Every path is below the web part's prefix; pages use paths relative to their own (`enter`, `socket`).
 *
 * | | |
 * |---|---|
 * | `GET live/` | The member's page. Its link is `…/live/#<key>`: in the fragment, so that neither logs nor previews see the key |
 * | `POST live/enter` | JSON `EnterRequest`. 200: a cookie (HttpOnly, strict, for `live/`) that opens the socket. Otherwise `EnterRefusal` |
 * | `WS live/socket` | Of the member's page: `PageMessage` up, `ToPage` down, as JSON texts; binary messages are pictures |
 * | `GET live/out/` | The output alone, for an OBS browser source. Its address is `…/live/out/#<key>` |
 * | `WS live/out/socket` | Opened with the subprotocols `[OutputProtocol, key]`: `OutputMessage` up, `ToOutput` down; pictures down |
 *
 * A page that was entered takes the key out of its address (`history.replaceState`) and connects; after a reload it
 * just connects. Both sockets demand that `Origin` is the web part's own; otherwise, and without a valid cookie or
 * key, the upgrade is refused with 401 or 403.
 *
 * **Pictures** are one JPEG per binary message in both directions, nothing else in it. Whoever gets a binary message
 * answers it at once with `{"type":"taken"}`, and nobody sends a further one while `frames.aheadMax` of theirs are
 * unanswered: meanwhile only the newest picture is kept and the others are dropped, so that nothing ever queues. The
 * page drops too while `bufferedAmount` is above 0. Not every picture sent comes back, and none need be shown that a
 * newer one has overtaken.
 *
 * **Timers in a hidden tab** run once a second or less; a page should capture in a worker, or with each message.
 */

/** Of the socket of `live/out/`. */
export type OutputProtocol = 'masquerade-live-output';

/** Body of `POST live/enter`. */
export interface EnterRequest {
  /** What follows `#` in the link: 43 characters. */
  readonly key: string;
}

/**
 * 404 with `gone`: the link was used, is too old, or never was one; `/live start` gives a new one. 400 with
 * `malformed`, 403 with `foreign` (another origin), 503 with `stopped`.
 */
export interface EnterRefusal {
  readonly error: { readonly code: 'gone' | 'malformed' | 'foreign' | 'stopped' };
}

/** From the member's page. At most 2,048 bytes each, and 20 a second besides `taken`. */
export type PageMessage =
  /** The member agrees to the wording of this version. */
  | { readonly type: 'agree'; readonly version: string }
  /** Needs the consent. Only now something is held and opened that costs money. */
  | { readonly type: 'start' }
  /** Ends what is live, or a start that is under way, for good. */
  | { readonly type: 'stop' }
  /** Asks for an address of the output; the one before does not work any more. */
  | { readonly type: 'share' }
  /** The address of the output does not work any more. */
  | { readonly type: 'unshare' }
  | Taken;

/** To the member's page. First comes `hello`, then the state; each `state` replaces the one before. */
export type ToPage = Hello | State | Warning | Problem | OutputAddress | Taken;

/** One binary message of the other side has arrived. */
interface Taken {
  readonly type: 'taken';
}

/** What holds as long as there is the page. Money is whole micro-dollars everywhere. */
export interface Hello {
  readonly type: 'hello';
  /** Of the server whose budget pays. Untrusted text. */
  readonly guildName: string | null;
  /** Where pictures are sent to, as `media.example.org`. */
  readonly service: string;
  readonly minutes: number;
  /** What the member wrote; null: the service's own default. Untrusted text. */
  readonly prompt: string | null;
  /** A face of a picture: its name where the member saved it; null: the prompt alone says whose face. */
  readonly face: { readonly name: string | null } | null;
  /** What a minute is expected to cost; null: the service has not told. */
  readonly perMinute: number | null;
  /** About what is held for all minutes, and given back as far as it is not used; null as above. */
  readonly heldMax: number | null;
  readonly consent: Consent;
  readonly frames: FrameRules;
  /** Live without a picture from the page for so long, it ends. */
  readonly silentSeconds: number;
}

interface Consent {
  readonly version: string;
  /** Paragraphs of plain text, to be shown before the camera is opened. */
  readonly paragraphs: readonly string[];
}

export interface FrameRules {
  /** What a picture should measure at most, in pixels. */
  readonly width: number;
  readonly height: number;
  /** A larger message closes the socket. */
  readonly bytesMax: number;
  /** More are dropped. */
  readonly perSecondMax: number;
  /** Binary messages of one side that may be unanswered. */
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
  /** For good. Sent again when the charge is known. */
  | {
      readonly phase: 'ended';
      readonly why: LiveSwapEnd;
      /** The same in a sentence, and what to do next. */
      readonly text: string;
      readonly usedSeconds: number;
      /** By our own meter. */
      readonly used: number;
      /** By the service's record; null: not known yet. */
      readonly charged: number | null;
    };

/** Open at the service; costs from the first picture that comes back. */
interface LiveState {
  readonly phase: 'live';
  readonly usedSeconds: number;
  readonly leftSeconds: number;
  /** What was granted; less than `minutes` x 60 is fine, and to be shown. */
  readonly grantedSeconds: number;
  /** By our own meter. */
  readonly used: number;
  /** Of what is held. */
  readonly left: number;
  /** As the service understood it, the default included. Untrusted text. */
  readonly prompt: string | null;
  /** Who looks at the output's address. */
  readonly viewers: number;
}

/** Live ends soon: sent once, a minute before. */
interface Warning {
  readonly type: 'warning';
  readonly leftSeconds: number;
}

/** Something asked for was not done; what to do next. The state says where that leaves it. */
interface Problem {
  readonly type: 'problem';
  readonly text: string;
}

/** Whoever has the address sees the output, until `unshare`, the next `share`, or the end. Null: there is none. */
interface OutputAddress {
  readonly type: 'output';
  readonly url: string | null;
}

/** From the output's page. */
export type OutputMessage = Taken;

/** To the output's page; binary messages are pictures to show, each in place of the one before. */
export type ToOutput = {
  readonly type: 'state';
  /** Other than `live`: the picture is to be taken away. */
  readonly phase: 'waiting' | 'live' | 'ended';
};

/**
 * Why a socket is closed by the web part. 4000: it is over, and nothing more will be said. 4001: another page of the
 * member took its place. 4002: the output's address does not work any more, or too many look at it. 1001: the bot
 * stops. 1008: what came was no message of these. 1009: it was too large.
 */
export type CloseCode = 1001 | 1008 | 1009 | 4000 | 4001 | 4002;
