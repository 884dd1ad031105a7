import assert from 'node:assert/strict';
import { vi } from 'vitest';
import type { WireJob, WireSubmitted, WireUpload } from '../../src/media-api/wire.ts';
import { picture } from './test-engine.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown;
}

/** A client of the API over real HTTP, without any client code of this project. */
export class ApiClient {
  readonly baseUrl: string;
  readonly key: string | undefined;

  constructor(baseUrl: string, key?: string) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (this.key !== undefined && !headers.has('authorization')) {
      headers.set('authorization', `Bearer ${this.key}`);
    }
    const url = path.startsWith('http') ? path : `${this.baseUrl}${path}`;
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  get(path: string): Promise<Answer> {
    return this.request(path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  upload(bytes: Uint8Array, type: string = 'image/png', name: string = 'picture.png'): Promise<Answer> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type }), name);
    return this.request('/uploads', { method: 'POST', body: form });
  }

  /** Uploads a picture and returns its key. */
  async uploadPicture(red: number = 200): Promise<string> {
    const answer = await this.upload(await picture(red));
    assert.equal(answer.status, 200, answer.text);
    return (answer.json as WireUpload).file_key;
  }

  /** Returns a body for Photo Swap with new uploads. */
  async photoSwapBody(): Promise<{ image_key: string; face_key: string }> {
    return { image_key: await this.uploadPicture(200), face_key: await this.uploadPicture(20) };
  }

  /** Submits a job and returns the answer, which must be a success. */
  async submit(
    body: object,
    headers: Record<string, string> = {},
    path: string = '/face-swap-image',
  ): Promise<WireSubmitted> {
    const answer = await this.post(path, body, headers);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as WireSubmitted;
  }

  async job(id: string): Promise<WireJob> {
    const answer = await this.get(`/jobs/${id}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as WireJob;
  }

  /** Polls until the job has ended, and returns it. */
  async ended(id: string): Promise<WireJob> {
    return await vi.waitFor(
      async () => {
        const job = await this.job(id);
        assert(job.status === 'succeeded' || job.status === 'failed');
        return job;
      },
      { timeout: 10_000, interval: 10 },
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
