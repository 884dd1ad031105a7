import type { Trx } from '../../../../db/schema.ts';
import type { InputOwner } from '../inputs/inputs.ts';
import type { AccessRefusal } from './refusals.ts';
import type { JobRequest } from '../job-request.ts';

/** Who may use the bot for what. Implemented in `src/bot/people/access` and `src/bot/people/members`. */
export interface AccessGate {
  /**
   * Looks at a request as part of the transaction that would take it on; null lets it pass. `owners` are those
   * whose pictures it is made from.
   */
  refuses(trx: Trx, request: JobRequest, owners: readonly InputOwner[]): Promise<AccessRefusal | null>;
}
