import assert from 'node:assert/strict';
import type { WireSubmitted, WireUpload } from '../../../src/media-api/wire.ts';
import type { ApiClient } from '../api-client.ts';

/**
 * Callers who keep submitting, repeating and polling, whatever happens to the server. A submission whose answer was cut off is
 * repeated with its idempotency key until its job is known.
 */
export class Crowd {
  /** The job for each idempotency key whose submission was answered. */
  readonly jobs: Map<string, string> = new Map();
  readonly #random: (limit: number) => number;
  readonly #callbackUrl: string;
  #uploads: string[] = [];
  /** Keys whose submission was sent but not answered. */
  #unanswered: string[] = [];
  #keys = 0;

  constructor(random: (limit: number) => number, callbackUrl: string) {
    this.#random = random;
    this.#callbackUrl = callbackUrl;
  }

  get unanswered(): number {
    return this.#unanswered.length;
  }

  /** Uploads a file for later jobs. */
  async upload(api: ApiClient): Promise<void> {
    const answer = await api.upload(Buffer.from('a file'));
    assert.equal(answer.status, 200, answer.text);
    this.#uploads = [...this.#uploads, (answer.json as WireUpload).file_key].slice(-5);
  }

  /** Makes one request after another until the server is gone; `onAnswer` is called for each answer. */
  async act(api: ApiClient, onAnswer: () => void): Promise<void> {
    for (;;) {
      try {
        await this.#step(api);
      } catch (error) {
        if (error instanceof TypeError && error.message === 'fetch failed') return;
        throw error;
      }
      onAnswer();
    }
  }

  /** Repeats submissions that were never answered. */
  async clearUp(api: ApiClient): Promise<void> {
    while (this.#unanswered.length > 0) await this.#submit(api, this.#unanswered.shift() ?? '');
  }

  async #step(api: ApiClient): Promise<void> {
    const dice = this.#random(10);
    if (dice === 0) return await this.upload(api);
    if (dice === 1) return await this.#poll(api);
    if (dice === 2) return await this.#submit(api, this.#earlierKey());
    const left = this.#unanswered.shift();
    await this.#submit(api, left ?? this.#newKey());
  }

  async #submit(api: ApiClient, key: string): Promise<void> {
    this.#unanswered.push(key);
    const [first = ''] = this.#uploads;
    const body = { image_key: first, face_key: this.#uploads.at(-1), callback_url: this.#callbackUrl };
    const answer = await api.post('/face-swap-image', body, { 'idempotency-key': key });
    assert.equal(answer.status, 200, answer.text);
    const { id } = answer.json as WireSubmitted;
    assert.equal(this.jobs.get(key) ?? id, id, `${key} names two jobs`);
    this.jobs.set(key, id);
    this.#unanswered = this.#unanswered.filter((other) => other !== key);
  }

  async #poll(api: ApiClient): Promise<void> {
    const ids = [...this.jobs.values()];
    const id = ids[this.#random(ids.length)];
    if (id !== undefined) assert.equal((await api.get(`/jobs/${id}`)).status, 200);
  }

  #earlierKey(): string {
    const keys = [...this.jobs.keys()];
    return keys[this.#random(keys.length)] ?? this.#newKey();
  }

  #newKey(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }
}
