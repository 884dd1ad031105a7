import type { Clock } from '../base/clock.ts';

/** The kind of rule that was broken. */
export type ViolationKind =
  /** A method and path that do not exist in Discord's API, or that the sandbox does not implement. */
  | 'unknown_route'
  /** A query parameter or body property that Discord would silently ignore. */
  | 'unknown_field'
  /** A body that does not parse or exceeds a documented limit. */
  | 'malformed_body'
  | 'unauthorized'
  /** A request for which the bot lacks a permission. */
  | 'forbidden'
  /** A broken rule about time, order or number, such as a late or second acknowledgement or an expired token. */
  | 'broken_rule'
  | 'rate_limited'
  | 'unknown_gateway_op'
  | 'malformed_gateway_payload'
  | 'gateway_rule'
  /** A feature of Discord that the sandbox does not have. */
  | 'unsupported'
  /** An error in the sandbox itself. */
  | 'sandbox_error';

/** A mistake that a well-behaved client does not make. Contains no tokens and no message content. */
export interface Violation {
  /** In epoch milliseconds on the sandbox's clock. */
  readonly at: number;
  readonly kind: ViolationKind;
  /** A route such as `POST /channels/:channelId/messages`, or a gateway opcode. */
  readonly what: string;
  readonly detail: string;
}

const VIOLATIONS_MAX = 1000;

/** Stores the first 1,000 violations until a test takes them. */
export class ViolationLog {
  readonly #clock: Clock;
  #entries: Violation[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get entries(): readonly Violation[] {
    return this.#entries;
  }

  record(kind: ViolationKind, what: string, detail: string): void {
    if (this.#entries.length >= VIOLATIONS_MAX) return;
    this.#entries.push({ at: this.#clock.now(), kind, what, detail });
  }

  /** Returns and deletes the violations that `matches` accepts. Default: all. */
  take(matches: (violation: Violation) => boolean = () => true): Violation[] {
    const taken = this.#entries.filter(matches);
    this.#entries = this.#entries.filter((entry) => !taken.includes(entry));
    return taken;
  }
}
