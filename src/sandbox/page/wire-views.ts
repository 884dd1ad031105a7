/**
 * The wire panel and the fault buttons of the chat page. This file has only types, so that browser code may import it.
 * Naming follows `page-views.ts`.
 */

/** One entry of the wire panel. It contains no secrets: no keys, tokens, queries or bodies. */
export interface PageWireEntry {
  /** Increases by one per entry. */
  readonly id: number;
  readonly at_ms: number;
  /**
   * The number of an action on the page. An entry about a use of the bot has the number of the action that caused the
   * use, even if the entry is added later; any other entry has the number of the latest action. 0 means before the
   * first action, or an unknown action.
   */
  readonly action: number;
  /** `chat`: an action of a member. `fault`: a fault was injected or happened. */
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
  /** For example `POST /channels/:channelId/messages`, `INTERACTION_CREATE` or `hold`. */
  readonly what: string;
  readonly status: number | string | null;
  /** The duration in milliseconds, or null. */
  readonly ms: number | null;
  /** Sizes, counts, amounts and similar values, by name. */
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** All entries of the wire panel, oldest first. */
export interface PageWire {
  readonly entries: readonly PageWireEntry[];
  /** The number of the latest action. */
  readonly action: number;
}

/** A fault button. */
export interface PageFault {
  readonly name: PageFaultName;
  readonly title: string;
  readonly explanation: string;
  /**
   * `once`: the fault applies immediately or to the next few operations; `on` is true while some of these operations
   * are still to come. `switch`: the fault applies until it is switched off.
   */
  readonly kind: 'once' | 'switch';
  readonly on: boolean;
  /** The reason why the button cannot be used, or null. */
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
