import { putInputOwners } from '../../../../db/queries/input-owners.ts';
import { insertJobInputs } from '../../../../db/queries/job-inputs.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import { derivedId, randomId } from '../../../base/ids.ts';
import type { MicroUsd } from '../../../base/money.ts';
import { inputRows } from '../inputs/input-rows.ts';
import type { InputOwner } from '../inputs/inputs.ts';
import { ownerRow } from '../inputs/owners-of-inputs.ts';
import { takeTurn } from '../run/take-turn.ts';
import type { JobRequest } from '../job-request.ts';

/** An accepted command. */
interface AcceptedJob {
  readonly jobId: string;
  readonly request: JobRequest;
  /** The owners of the pictures that the request uses, by body field. */
  readonly owners: ReadonlyMap<string, readonly InputOwner[]>;
  readonly held: MicroUsd;
  /** Null while the price is not known. */
  readonly price: MicroUsd | null;
}

const TOKEN_LIFE_MS = 15 * 60_000;
/**
 * A job whose acknowledgement was never recorded starts after this time, because the process that accepted it has died.
 * A living process learns within 10 s whether the chat showed the reply; until then, it must be able to abandon the
 * job.
 */
const ACKNOWLEDGE_MS = 15_000;

/** Stores an accepted command as a job with its inputs, in the transaction that also makes the hold. */
export async function storeJob(trx: Trx, job: AcceptedJob, nowMs: number): Promise<void> {
  const { jobId, request, owners, held, price } = job;
  await insertJob(trx, {
    id: jobId,
    interaction_id: request.interactionId,
    capability: request.capability,
    parameters: JSON.stringify(request.parameters),
    retry_of: request.retryOf ?? null,
    application_id: request.applicationId,
    guild_id: request.guildId,
    channel_id: request.channelId,
    user_id: request.userId,
    interaction_token: request.interactionToken,
    token_expires_at_ms: request.receivedAtMs + TOKEN_LIFE_MS,
    attachment_size_limit_bytes: request.attachmentSizeLimitBytes,
    stage: 'accepted',
    turn: await takeTurn(trx, request),
    idempotency_key: derivedId('intent', request.interactionId, request.interactionToken),
    callback_token: randomId('cb'),
    hold_micros: held,
    quote_micros: price,
    due_at_ms: nowMs + ACKNOWLEDGE_MS,
    accepted_at_ms: nowMs,
    updated_at_ms: nowMs,
  });
  await insertJobInputs(trx, inputRows(jobId, request.inputs));
  for (const [field, those] of owners) {
    await putInputOwners(
      trx,
      those.map((owner) => ownerRow({ jobId, field }, owner)),
    );
  }
}
