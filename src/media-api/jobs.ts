import { z } from 'zod';
import { MediaApiRefusal } from './errors.ts';
import { type Job, toJob } from './job.ts';
import type { CallOptions, Transport } from './transport.ts';
import { type Capability, SUBMIT_SEGMENT, wireJob, wireSubmitted } from './wire.ts';

interface JobSubmit {
  readonly capability: Capability;
  /** The JSON body as text, frozen with the intent, so that a repeat after a restart sends the same bytes. */
  readonly body: string;
  /** 1-255 printable ASCII characters, unguessable, one per intent. */
  readonly idempotencyKey: string;
}

export interface Submitted {
  readonly id: string;
  /** Usually `queued`; a repeat answers with the original job, which may have ended. */
  readonly status: string;
  readonly statusUrl: string;
}

interface JobReference {
  readonly id: string;
  /** As the submit returned it; null asks by id. */
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
   * Submits one job, repeating under the same key while that is safe. Throws `MediaApiRefusal` or
   * `MediaApiUnreachable`; when `ambiguous` there, the job may exist: repeat only with the same key and body.
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

  /** Asks for the job's state; the default priority is `poll`. */
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

  /** The key goes along, so a status URL counts only on the API's own origin; otherwise the id is asked for. */
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

/** Every `*_key` field must hold a key of an upload: the service never fetches links, and neither may it be asked to. */
function namesOnlyUploads(body: string): boolean {
  const fields = Object.entries(inputKeys.parse(JSON.parse(body)));
  return fields.every(
    ([name, value]) => !name.endsWith('_key') || (typeof value === 'string' && value.startsWith('api/')),
  );
}
