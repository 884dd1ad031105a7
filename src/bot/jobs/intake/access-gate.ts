import type { Trx } from '../../../../db/schema.ts';
import type { InputOwner } from '../inputs/inputs.ts';
import type { AccessRefusal } from './refusals.ts';
import type { JobRequest } from '../job-request.ts';

/**
 * Decides which members may use which commands and pictures. Implemented in `src/bot/people/access` and
 * `src/bot/people/members`.
 */
export interface AccessGate {
  /**
   * Checks a request in the transaction that would accept it. Returns why it is refused, or null if it is allowed.
   * `owners` are the members whose pictures the request uses.
   */
  refuses(trx: Trx, request: JobRequest, owners: readonly InputOwner[]): Promise<AccessRefusal | null>;
}
