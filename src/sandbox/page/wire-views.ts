/**
 * The wire panel and the fault buttons of the chat page. Types only, so that code for browsers may import them; the words are
 * those of `page-views.ts`.
 */

/** One entry of the wire panel. Nothing secret is in it: no keys, tokens, queries or bodies. */
export interface PageWireEntry {
  /** Grows by one. */
  readonly id: number;
  readonly at_ms: number;
  /**
   * Grows with each thing that somebody did on the page. What is about a use of the bot belongs to the action that the use
   * was, however late it comes; other traffic to the latest action. 0: before the first, or of none that is known.
   */
  readonly action: number;
  /** `chat`: what the member did. `fault`: a fault was ordered or happened. */
  readonly source:
    | 'chat'
    | 'rest'
    | 'gateway'
    | 'voice'
    | 'media_api'
    | 'webhook'
    | 'session'
    | 'ledger'
    | 'fault';
  /** Such as `POST /channels/:channelId/messages`, `INTERACTION_CREATE`, `hold`. */
  readonly what: string;
  readonly status: number | string | null;
  /** How long it took, in milliseconds. */
  readonly ms: number | null;
  /** Sizes, counts, amounts and the like, by name. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Everything the wire panel knows, oldest first. */
export interface PageWire {
  readonly entries: readonly PageWireEntry[];
  /** The number of the latest thing that somebody did. */
  readonly action: number;
}

/** A fault button. */
export interface PageFault {
  readonly name: PageFaultName;
  readonly title: string;
  readonly explanation: string;
  /** `once`: happens at the press, or to the next few; `on` is true while some are still to come. `switch`: until it is off. */
  readonly kind: 'once' | 'switch';
  readonly on: boolean;
  /** Why the button cannot be used here; null when it can. */
  readonly unavailable: string | null;
}

export type PageFaultName =
  | 'drop_gateway'
  | 'lose_webhook'
  | 'voice_loss'
  | 'no_capacity'
  | 'rest_500'
  | 'rest_429'
  | 'silent_bot';
