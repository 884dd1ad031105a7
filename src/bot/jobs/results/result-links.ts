import { initializeSetting } from '../../../../db/queries/settings.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { Database } from '../../../../db/database.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import { equalHex, hmacHex } from '../../../base/signing.ts';
import type { ResultLink } from '../cards.ts';
import { resultFileName } from './fitting-file.ts';

interface ResultLinksOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Returns the public URL for a path on Masquerade's web server. Undefined if members cannot reach that server. */
  readonly publicUrl: ((path: string) => string) | undefined;
  /** How long a link works, in milliseconds. */
  readonly lifeMs: number;
}

/** The target of a link. */
export type LinkedResult =
  | { readonly kind: 'file'; readonly path: string; readonly mime: string; readonly name: string }
  /** The link is genuine but has expired. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

const SECRET_NAME = 'result_link_secret';

/** Signed links to kept results. A link gives access to one file until the link expires. */
export class ResultLinks {
  readonly #options: ResultLinksOptions;
  readonly #secret: string;

  private constructor(options: ResultLinksOptions, secret: string) {
    this.#options = options;
    this.#secret = secret;
  }

  /** Creates the signing secret if there is none. All processes that share the database share the secret. */
  static async open(options: ResultLinksOptions): Promise<ResultLinks> {
    const secret = await initializeSetting(options.db.kysely, SECRET_NAME, randomId('link'));
    return new ResultLinks(options, secret);
  }

  /**
   * Returns a new link to the kept result of a job; null if none is kept, or if members cannot reach the web server.
   */
  linkTo(job: JobRow): ResultLink | null {
    const { publicUrl, clock, lifeMs } = this.#options;
    const name = resultFileName(job);
    if (!publicUrl || name === undefined) return null;
    // Links expire on whole minutes, so that a card that is composed twice usually has the same link both times.
    const expiresAtMs = Math.ceil((clock.now() + lifeMs) / 60_000) * 60_000;
    const expires = String(expiresAtMs / 1000);
    const path = `/results/${job.id}/${expires}/${this.#sign(job.id, expires)}/${name}`;
    return { url: publicUrl(path), expiresAtMs };
  }

  /** Finds the target of a link from the parts of its path. */
  async resolve(parts: {
    readonly jobId: string;
    readonly expires: string;
    readonly signature: string;
  }): Promise<LinkedResult> {
    const { jobId, expires, signature } = parts;
    if (!equalHex(this.#sign(jobId, expires), signature)) return { kind: 'unknown' };
    const { clock, db } = this.#options;
    if (!(Number(expires) * 1000 > clock.now())) return { kind: 'expired' };
    const job = await findJob(db.kysely, jobId);
    const name = job && resultFileName(job);
    if (!job || name === undefined || job.result_path === null || job.taken_back !== null) {
      return { kind: 'unknown' };
    }
    return { kind: 'file', path: job.result_path, mime: job.result_mime ?? '', name };
  }

  #sign(jobId: string, expires: string): string {
    return hmacHex(this.#secret, `${jobId.length}:${jobId}:${expires}`);
  }
}
