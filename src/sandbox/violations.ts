import type { Clock } from '../base/clock.ts';

/** What kind of rule was broken. */
export type ViolationKind =
  /** A method and path that Discord (or this part of it) does not have. */
  | 'unknown_route'
  /** A query parameter or body property that Discord would ignore in silence. */
  | 'unknown_field'
  /** A body that does not parse or breaks a documented limit. */
  | 'malformed_body'
  | 'unauthorized'
  /** A permission the bot does not have. */
  | 'forbidden'
  /** A rule of time, order or number: a late or second acknowledgement, an expired token, a wrong callback type. */
  | 'broken_rule'
  | 'rate_limited'
  | 'unknown_gateway_op'
  | 'malformed_gateway_payload'
  | 'gateway_rule'
  /** Something real Discord has and the sandbox does not. */
  | 'unsupported'
  /** A fault of the sandbox itself. */
  | 'sandbox_error';

/** Something a well-behaved client does not do. Holds no tokens and no message content. */
export interface Violation {
  /** Epoch milliseconds on the sandbox's clock. */
  readonly at: number;
  readonly kind: ViolationKind;
  /** Where: a route such as `POST /channels/:channelId/messages`, or a gateway opcode. */
  readonly what: string;
  readonly detail: string;
}

const VIOLATIONS_MAX = 1000;

/** Keeps the first 1,000 violations until a test takes them. */
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

  /** Returns the matching violations (all by default) and forgets them. */
  take(matches: (violation: Violation) => boolean = () => true): Violation[] {
    const taken = this.#entries.filter(matches);
    this.#entries = this.#entries.filter((entry) => !taken.includes(entry));
    return taken;
  }
}
