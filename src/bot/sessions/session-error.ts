import { ServiceError } from '../../base/errors.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { CapView } from '../money/caps/cap.ts';
import type { Paused } from '../money/ledger/spending-gate.ts';

export type SessionErrorCode =
  | 'refused'
  | 'already_on'
  | 'unpaid'
  | 'no_capacity'
  | 'unreachable'
  | 'rejected';

/** The cause of a refusal: the operator's pause, or a cap with too little left. */
type SessionRefusal =
  | { readonly by: 'operator'; readonly paused: Paused }
  | { readonly by: 'cap'; readonly needed: MicroUsd; readonly cap: CapView };

const TEXTS: Readonly<Record<SessionErrorCode, string>> = {
  refused: 'There is not enough budget left for this.',
  already_on: 'You have one that is on already. End that one first.',
  unpaid: 'The account that pays for this is used up. Whoever runs the bot has been told.',
  no_capacity: 'All places are taken just now. Try again in a minute.',
  unreachable: 'The service cannot be reached just now. Nothing was charged. Try again in a minute.',
  rejected: 'The service does not offer this just now.',
};
const PAUSED = 'Whoever runs the bot has paused everything that costs money.';
const WARMING = 'The service is just starting up. Try again in about a minute.';

/**
 * A session could not be opened. The code names the cause: a cap or the operator's pause (`refused`), another session
 * of the same member (`already_on`), too little money in the service account (`unpaid`), no free slot at the service
 * (`no_capacity`), a missing reply or configuration frame (`unreachable`), or a refusal by the service (`rejected`).
 * Nothing is charged.
 */
export class SessionError extends ServiceError<SessionErrorCode> {
  /** Set if the code is `refused`; otherwise null. */
  readonly refusal: SessionRefusal | null;

  constructor(
    code: SessionErrorCode,
    options: {
      readonly refusal?: SessionRefusal;
      /** The service is starting. */
      readonly isWarming?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    const { refusal = null, isWarming = false, cause } = options;
    const text = refusal?.by === 'operator' ? PAUSED : isWarming ? WARMING : TEXTS[code];
    super(code, `Cannot open a session: ${code}`, { cause, userMessage: text });
    this.refusal = refusal;
  }
}
