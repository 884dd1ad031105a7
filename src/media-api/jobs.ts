import { z } from 'zod';
import { MediaApiRefusal } from './errors.ts';
import { type Job, toJob } from './job.ts';
import type { CallOptions, Transport } from './transport.ts';
import { type Capability, SUBMIT_SEGMENT, wireJob, wireSubmitted } from './wire.ts';

interface JobSubmit {
  readonly capability: Capability;
  /**
   * The JSON body as text. It is stored before the first attempt, so that a repetition after a restart sends the same
   * bytes.
   */
  readonly body: string;
  /** 1 to 255 printable ASCII characters, unguessable, and unique for each job. */
  readonly idempotencyKey: string;
}

export interface Submitted {
  readonly id: string;
  /** Usually `queued`. A repeated submission returns the original job, which may have ended. */
  readonly status: string;
  readonly statusUrl: string;
}

interface JobReference {
  readonly id: string;
  /** The status URL that the submission returned. If it is null, the job is polled by its id. */
  readonly statusUrl: string | null;
}

const SUBMIT_ATTEMPTS_MAX = 5;
const GET_ATTEMPTS_MAX = 4;

const inputKeys = z.record(z.string(), z.unknown());

/** Submits jobs and reads their state. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Submits one job, and repeats the request under the same key while that is safe. Throws `MediaApiRefusal` or
   * `MediaApiUnreachable`. If the error is `ambiguous`, the job may exist: submit it again only with the same key and
   * body.
   */
  async submit(job: JobSubmit, options: CallOptions = {}): Promise<Submitted> {
    if (!/^[\x21-\x7e]{1,255}$/.test(job.idempotencyKey)) {
      throw new TypeError('Cannot submit a job: the idempotency key is not 1-255 printable ASCII characters');
    }
    const segment = SUBMIT_SEGMENT[job.capability];
    const action = `submit a ${segment} job`;
    if (!namesOnlyUploads(job.body)) {
      throw new MediaApiRefusal(action, { status: 400, code: 'invalid_input', local: true });
    }
    return this.#transport.call(
      {
        method: 'POST',
        target: `/${segment}`,
        action,
        headers: { 'content-type': 'application/json', 'idempotency-key': job.idempotencyKey },
        body: job.body,
        decode: toSubmitted,
        priority: 'interactive',
        attemptsMax: SUBMIT_ATTEMPTS_MAX,
      },
      options,
    );
  }

  /** Reads the job's state. The default priority is `poll`. */
  async get(job: JobReference, options: CallOptions = {}): Promise<Job> {
    return this.#transport.call(
      {
        method: 'GET',
        target: this.#statusTarget(job),
        action: 'read a job',
        decode: (json) => toJob(wireJob.parse(json)),
        priority: 'poll',
        attemptsMax: GET_ATTEMPTS_MAX,
      },
      options,
    );
  }

  /**
   * Returns the status URL only if it is on the API's own origin, because the request carries the API key. Otherwise
   * the job is read by its id.
   */
  #statusTarget(job: JobReference): string | URL {
    const { origin } = this.#transport.baseUrl;
    const url = job.statusUrl === null ? null : URL.parse(job.statusUrl, origin);
    if (url?.origin === origin && url.username === '' && url.password === '') return url;
    if (/^\.{0,2}$/.test(job.id)) throw new TypeError('Cannot read a job: its id is not usable in a path');
    return `/jobs/${encodeURIComponent(job.id)}`;
  }
}

function toSubmitted(json: unknown): Submitted {
  const { id, status, status_url: statusUrl } = wireSubmitted.parse(json);
  return { id, status, statusUrl };
}

/**
 * Whether every `*_key` field holds the key of an upload. Links are not allowed, because the service never fetches
 * them.
 */
function namesOnlyUploads(body: string): boolean {
  const fields = Object.entries(inputKeys.parse(JSON.parse(body)));
  return fields.every(
    ([name, value]) => !name.endsWith('_key') || (typeof value === 'string' && value.startsWith('api/')),
  );
}
