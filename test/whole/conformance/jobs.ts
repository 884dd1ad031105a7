import assert from 'node:assert/strict';
import { sleep, systemClock } from '../../../src/base/clock.ts';
import {
  type Capability,
  SUBMIT_SEGMENT,
  type WireJob,
  type WireSubmitted,
  wireJob,
  wireSubmitted,
} from '../../../src/media-api/wire.ts';
import type { Answer } from './caller.ts';
import { type SampleName, keyOf } from './media.ts';
import type { Target } from './target.ts';

export interface JobCase {
  readonly feature: Capability;
  /** The body fields that take a file key, and the sample for each. */
  readonly inputs: Readonly<Record<string, SampleName>>;
  readonly parameters: object;
  readonly outputType: RegExp;
}

/** A complete request for each job capability. */
export const JOB_CASES: readonly JobCase[] = [
  job('photo_swap', { image_key: 'portrait', face_key: 'face' }, {}, /^image\//),
  job('video_swap', { video_key: 'clip', face_key: 'face' }, { output_resolution_p: 480 }),
  job('identity_swap', { video_key: 'clip', character_key: 'portrait' }, { resolution: '1k' }),
  job('motion_transfer', { image_key: 'portrait', motion_video_key: 'clip' }, {}),
  job('avatar', { image_key: 'portrait' }, { script: 'Good morning.', output_resolution_p: 480 }),
  job('lip_sync', { video_key: 'clip', audio_key: 'speech' }, { output_resolution_p: 480 }),
];

function job(
  feature: Capability,
  inputs: JobCase['inputs'],
  parameters: object,
  outputType: RegExp = /^video\//,
): JobCase {
  return { feature, inputs, parameters, outputType };
}

/** Uploads the samples of a job, and returns the body of its submission. */
export async function bodyOf(
  target: Target,
  { inputs, parameters }: JobCase,
): Promise<Record<string, unknown>> {
  const keys: Record<string, string> = {};
  for (const [field, sample] of Object.entries(inputs)) keys[field] = await keyOf(target, sample);
  return { ...keys, ...parameters };
}

export function submit(
  { api }: Target,
  feature: Capability,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.post(`/${SUBMIT_SEGMENT[feature]}`, body, headers);
}

/** Returns whether the capability is disabled or has no room at the moment. */
export function isUnavailable({ errorCode }: Answer): boolean {
  return errorCode === 'capability_unavailable' || errorCode === 'capacity_unavailable';
}

/** Reads the answer to a submission, which must be a documented success. */
export function readSubmitted(answer: Answer): WireSubmitted {
  assert.equal(answer.status, 200, answer.text);
  const submitted = wireSubmitted.parse(answer.json);
  assert.equal(submitted.status, 'queued');
  assert.match(submitted.status_url, /^\/(?!\/)/, 'status_url is not relative to the host');
  return submitted;
}

const ORDER = ['queued', 'processing', 'succeeded', 'failed'];
const POLL_MS_FIRST = 50;
const POLL_MS_MAX = 5_000;

/** Polls the given `status_url` until the job has ended and is charged; its state must never go backwards. */
export async function pollToEnd(
  { api, options }: Target,
  { status_url: path }: WireSubmitted,
): Promise<WireJob> {
  const url = new URL(path, options.baseUrl).href;
  const deadline = systemClock.monotonic() + options.jobSeconds * 1000;
  let reached = 0;
  for (let waitMs = POLL_MS_FIRST; ; waitMs = Math.min(waitMs * 1.6, POLL_MS_MAX)) {
    const answer = await api.get(url);
    assert.equal(answer.status, 200, answer.text);
    const state = wireJob.parse(answer.json);
    const at = ORDER.indexOf(state.status);
    assert(at >= reached, `the job went from ${ORDER[reached]} to ${state.status}`);
    reached = at;
    if (at < 2) assert.deepEqual([state.output_url, state.error], [null, null]);
    else if (state.charged_usd !== null) return state;
    assert(systemClock.monotonic() < deadline, `the job is still ${state.status}`);
    await sleep(systemClock, waitMs);
  }
}
