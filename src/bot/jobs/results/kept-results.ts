import type { Database } from '../../../../db/database.ts';
import { findJob, findJobByResultMessage } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { kindOfMime } from '../../../base/media-type.ts';
import { pathExists } from '../../../base/path-exists.ts';
import type { PickedFile } from '../inputs/inputs.ts';
import type { Viewer } from '../call-origin.ts';

/**
 * Finds kept results that a member may use. Every member can use a result in its card's channel, and the member who
 * requested the job can use it in the whole server.
 */
export class KeptResults {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Finds the result of a job. Returns `undefined` if it is not kept, or if the member cannot see it. */
  async ofJob(by: Viewer, jobId: string): Promise<PickedFile | undefined> {
    return pick(by, await findJob(this.#db.kysely, jobId));
  }

  /**
   * Finds the result that a message shows. Returns null if the message shows none, and `undefined` in the same cases as
   * `ofJob`.
   */
  async ofMessage(by: Viewer, messageId: string): Promise<PickedFile | null | undefined> {
    const job = await findJobByResultMessage(this.#db.kysely, messageId);
    return job?.outcome === 'succeeded' ? pick(by, job) : null;
  }
}

async function pick(by: Viewer, job: JobRow | undefined): Promise<PickedFile | undefined> {
  if (!job || job.guild_id !== by.guildId) return undefined;
  if (job.channel_id !== by.channelId && job.user_id !== by.userId) return undefined;
  const kind = kindOfMime(job.result_mime ?? '');
  if (!kind || job.outcome !== 'succeeded' || job.result_path === null || job.taken_back !== null) return;
  if (!(await pathExists(job.result_path))) return undefined;
  const name = job.capability.replaceAll('_', '-');
  return { kind, name, source: { from: 'result', jobId: job.id } };
}
