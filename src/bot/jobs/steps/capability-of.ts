import type { JobRow } from '../../../../db/schema/jobs.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';

/**
 * Returns the capability of a stored job. Throws `TypeError` for a capability that only a newer program version knows.
 */
export function capabilityOf(job: JobRow): Capability {
  const capability = CAPABILITIES.find((known) => known === job.capability);
  if (!capability) throw new TypeError(`Cannot handle a job of capability "${job.capability}"`);
  return capability;
}
