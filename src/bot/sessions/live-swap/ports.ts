import type { MicroUsd } from '../../../base/money.ts';
import type { AccessRefusal, Refusal } from '../../jobs/intake/refusals.ts';
import type { CallOrigin } from '../../jobs/ports.ts';
import type { LiveConsentText } from './live-consent-text.ts';
import type { LiveSwapEnd } from './live-swap-end.ts';

/** Whose face: one that the member saved, or that in a picture in the chat. */
export type FaceWish =
  | { readonly from: 'saved'; readonly nameOrId: string }
  | { readonly from: 'file'; readonly url: string; readonly sizeBytes: number };

/** For how long, in minutes from 1 to 240, and what is to be worn. */
export interface LiveWish {
  readonly minutes: number;
  readonly prompt?: string | undefined;
  readonly face?: FaceWish | undefined;
}

/** Live Swap Pro for members, one session of each at a time. Methods throw `LiveSwapError`, with words for the member. */
export interface LiveSwapDesk {
  /** A link to a page, for the member alone. Nothing costs anything before they start there. */
  start(by: CallOrigin, wish: LiveWish): Promise<LiveLink>;
  /** Ends the member's own session; null: there was none. */
  stop(by: CallOrigin): Promise<LiveSwapView | null>;
  /** The member's own; null: there is none. */
  status(by: CallOrigin): Promise<LiveSwapView | null>;
}

export type LiveLink =
  | { readonly kind: 'link'; readonly url: string; readonly view: LiveSwapView }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A session as it stands now. */
export interface LiveSwapView {
  readonly guildId: string;
  /** Untrusted text. */
  readonly guildName: string | null;
  readonly minutes: number;
  readonly prompt: string | null;
  readonly face: { readonly name: string | null } | null;
  /** What a minute, and all of them, are expected to cost; null: the service has not told. */
  readonly perMinute: MicroUsd | null;
  readonly expected: MicroUsd | null;
  /** The member has agreed, and need not be asked again. */
  readonly isAgreed: boolean;
  readonly phase: LivePhase;
}

export type LivePhase =
  /** `isEntered`: the link was used. Until `untilMs` (epoch milliseconds) it can be used, or then started. */
  | { readonly kind: 'waiting'; readonly isEntered: boolean; readonly untilMs: number }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly grantedSeconds: number;
      /** As the service understood it; null when it did not say. */
      readonly prompt: string | null;
      readonly meteredMs: number;
      readonly leftMs: number;
      readonly estimate: MicroUsd;
      readonly held: MicroUsd;
      readonly viewers: number;
    }
  | {
      readonly kind: 'ended';
      readonly why: LiveSwapEnd;
      readonly meteredMs: number;
      readonly estimate: MicroUsd;
      /** By the service's record; null until it is known. */
      readonly charged: MicroUsd | null;
    };

/** What the web part needs of live swaps. */
export interface LiveSwapPages {
  readonly consent: LiveConsentText;
  /** The service's address, such as `media.example.org`. */
  readonly service: string;
  readonly limits: { readonly silentMs: number; readonly aheadMax: number };
  /** Uses up the key of a link; the pass that the page shows from then on. Null: there is no such link. */
  enter(key: string): string | null;
  /** Whether a pass leads to a session. */
  knowsPass(pass: string): boolean;
  /** Whether a key is that of an output's address. */
  knowsOutput(key: string): boolean;
  /** Null: the pass is not good any more. A page that was there before is closed. */
  takeSeat(pass: string, page: LivePage): LiveSeat | null;
  /** Null: the key is not good any more, or too many look already. */
  watch(key: string, viewer: LiveViewer): LiveWatch | null;
}

/** A member's page, as far as a session needs it. None of these throws. */
export interface LivePage {
  /** Something of the view has changed. */
  changed(): void;
  warn(leftSeconds: number): void;
  /** Something that the member asked for was not done. */
  tell(problem: string): void;
  /** Shows a picture; see `SendFrame`. */
  send(jpeg: Buffer, onSent: () => void): boolean;
  /** Nothing more will be said. */
  close(why: 'over' | 'replaced' | 'shutdown'): void;
}

/** What a page can do. After `leave` it does nothing. */
export interface LiveSeat {
  readonly view: LiveSwapView;
  agree(version: string): Promise<void>;
  start(): void;
  stop(): void;
  /** The key of a new address of the output; null when it is over. */
  share(): string | null;
  unshare(): void;
  /** A picture of the camera. */
  show(jpeg: Buffer): void;
  /** A picture that was sent to the page has arrived. */
  answered(): void;
  /** The page is gone. */
  leave(): void;
}

/** Who only looks at the output. */
export interface LiveViewer {
  changed(phase: 'waiting' | 'live' | 'ended'): void;
  send(jpeg: Buffer, onSent: () => void): boolean;
  close(why: 'over' | 'shutdown' | 'not_good'): void;
}

export interface LiveWatch {
  readonly phase: 'waiting' | 'live' | 'ended';
  answered(): void;
  leave(): void;
}

/** Rules of guilds. Implemented in `src/bot/people/access/access.ts`. */
export interface LiveRules {
  refusesLive(by: CallOrigin): Promise<AccessRefusal | null>;
}

/** Who is in a guild. Implemented in `src/bot/discord/wire/guild-members.ts`. */
export interface GuildMembers {
  nameOf(guildId: string): string | null;
  /** Their roles now; null: they are not in it. Undefined: the chat could not be asked. */
  rolesOf(
    guildId: string,
    userId: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null | undefined>;
}
