import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireJob } from '../../../../src/media-api/wire.ts';
import { type Reply, drop, json, refuse } from '../../../media-api/use-stub-api.ts';
import { bytes } from '../use-pipeline.ts';

/** The real course of a job at the service. */
export interface Truth {
  readonly status: 'succeeded' | 'failed';
  /** Whether the charge is reported only after the job has ended. */
  readonly isChargeLate: boolean;
}

/** The way in which a response fails. */
export type Trouble = 'lost' | 'fault' | 'unknown';

/**
 * The number of states of a job, from queued to charged. Everything that is true in one state remains true in later
 * ones.
 */
export const STATES = 4;
const LAST = STATES - 1;
const PICTURE_LINK = '/out?sig=s';

/** One job at a service with slow replicas and an unreliable connection. The test advances the job. */
export class ScriptedService {
  readonly truth: Truth;
  /** The different idempotency keys of all submissions so far. */
  readonly keys: Set<string> = new Set();
  /** Functions that each send a response that is held back until `release` is called. */
  #held: (() => void)[] = [];
  #isHolding: boolean;
  #state = 0;
  #lags: number[] = [];
  #hidesCharge = false;
  readonly #troubles: Record<'submit' | 'job' | 'output', Trouble[]> = { submit: [], job: [], output: [] };
  readonly #id: string;
  readonly #picture: Uint8Array;

  constructor(options: { id: string; truth: Truth; isHolding: boolean; picture: Uint8Array }) {
    this.#id = options.id;
    this.truth = options.truth;
    this.#isHolding = options.isHolding;
    this.#picture = options.picture;
  }

  /** Whether the job has been submitted. */
  get exists(): boolean {
    return this.keys.size > 0;
  }

  goOn(): void {
    this.#state = Math.min(LAST, this.#state + 1);
  }

  /** Makes the service's reports omit the charge for the job from now on. */
  hideCharge(): void {
    this.#hidesCharge = true;
  }

  finish(): void {
    this.#state = LAST;
    this.#lags = [];
  }

  /** Makes the next response report the state that the job had this many states ago. */
  lag(states: number): void {
    this.#lags.push(states);
  }

  fail(route: 'submit' | 'job' | 'output', trouble: Trouble): void {
    this.#troubles[route].push(trouble);
  }

  /** Sends the responses to submissions that were held back. */
  release(): void {
    this.#isHolding = false;
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Returns a report of the job in `state`. If the job has not reached that state yet, it moves there. */
  tell(state: number): WireJob {
    this.#state = Math.max(this.#state, state);
    return this.#at(state);
  }

  readonly answer: Reply = async (request, response, read) => {
    const url = request.url ?? '';
    if (url.endsWith('/uploads')) {
      return json(200, { file_key: `api/${this.#id}`, url: 'http://127.0.0.1/u' })(request, response, read);
    }
    if (url.endsWith('/face-swap-image')) return this.#submit(request, response, read);
    const trouble = this.#troubles[url.startsWith(PICTURE_LINK) ? 'output' : 'job'].shift();
    if (trouble) return REPLIES[trouble](request, response, read);
    if (url.startsWith(PICTURE_LINK)) return bytes(200, this.#picture)(request, response, read);
    if (!url.includes('/jobs/')) return refuse(404, 'not_found')(request, response, read);
    return json(200, this.#at(Math.max(0, this.#state - (this.#lags.shift() ?? 0))))(request, response, read);
  };

  async #submit(
    request: IncomingMessage,
    response: ServerResponse,
    read: () => Promise<void>,
  ): Promise<void> {
    await read();
    this.keys.add(String(request.headers['idempotency-key']));
    if (this.#isHolding) await new Promise<void>((resolve) => this.#held.push(resolve));
    // The submission has taken effect; only its response is lost.
    if (this.#troubles.submit.shift()) return void request.socket.destroy();
    const { status } = this.#at(this.#state);
    const submitted = { id: this.#id, status, status_url: `/api/v1/jobs/${this.#id}` };
    await json(200, submitted)(request, response, () => Promise.resolve());
  }

  #at(state: number): WireJob {
    const { status, isChargeLate } = this.truth;
    const isOver = state >= LAST - 1;
    const isCharged = !this.#hidesCharge && (state === LAST || (isOver && !isChargeLate));
    const isFailed = status === 'failed';
    return {
      id: this.#id,
      status: isOver ? status : state === 0 ? 'queued' : 'processing',
      output_url: isOver && !isFailed ? PICTURE_LINK : null,
      charged_usd: isCharged ? (isFailed ? 0 : 0.04) : null,
      error: isOver && isFailed ? { code: 'face_not_detected', message: '' } : null,
    };
  }
}

const REPLIES: Readonly<Record<Trouble, Reply>> = {
  lost: drop,
  fault: refuse(500, 'internal_error'),
  unknown: refuse(404, 'not_found'),
};
