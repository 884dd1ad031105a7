import { micros } from '../../src/base/money.ts';
import type { NewJob } from '../../db/schema/jobs.ts';
import { seededRandom } from '../media-server/engine/seeded-random.ts';
import { aJob } from './a-job.ts';

/** The time at which tests change the jobs below. */
export const NOW = 10_000;

export const STAGES = [
  'accepted',
  'fetched',
  'uploaded',
  'submitting',
  'submitted',
  'finished',
  'charged',
  'collected',
  'posted',
  'settled',
  'abandoned',
] as const;

const FREE = { lease_owner: null, lease_until_ms: null };
const LEASES = [
  FREE,
  ...[NOW - 1, NOW, NOW + 1].map((until) => ({ lease_owner: 'w', lease_until_ms: until })),
];
const PRICES = [
  { asked_at_ms: null, confirmed_at_ms: null },
  { asked_at_ms: 4_000, confirmed_at_ms: null },
  { asked_at_ms: 4_000, confirmed_at_ms: 4_700 },
];

/**
 * Jobs in every stage, with every combination of lease, price confirmation and clean attempts that an update may
 * depend on. Every column has a value in some jobs, and identifying columns are unique.
 */
export function jobsOfAllKinds(): NewJob[] {
  const random = seededRandom(14);
  const one = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const kinds = STAGES.flatMap((stage) =>
    LEASES.flatMap((lease) =>
      PRICES.flatMap((price) =>
        [1, 2].map((clean_attempts) => ({ stage, ...lease, ...price, clean_attempts })),
      ),
    ),
  );
  const places = kinds.map((_, index) => index).toSorted(() => random() - 0.5);
  return kinds.map((kind, index): NewJob => {
    const place = places[index] ?? 0;
    return aJob(String(index), {
      ...kind,
      guild_id: one('guild_1', 'guild_2'),
      user_id: one('user_1', 'user_2'),
      channel_id: one('channel_1', 'channel_2'),
      capability: one('photo_swap', 'lip_sync'),
      parameters: `{"output_resolution_p":${index}}`,
      retry_of: one(null, 'job_first', 'job_second'),
      interaction_token: `token_${index}`,
      reply_message_id: one(null, `reply_${index}`),
      outcome: one('succeeded', 'failed', 'unknown', null),
      failure: one(
        null,
        '{"reason":"job","code":"processing_failed"}',
        '{"reason":"job","code":"face_not_detected"}',
      ),
      request_body: `{"body":${index}}`,
      service_job_id: `srv_${index}`,
      status_url: `/api/v1/jobs/srv_${index}`,
      service_status: one('processing', 'succeeded', 'failed'),
      output_url: `/out/${index}`,
      charged_micros: one(null, micros(0), micros(40_000 + index)),
      result_path: one(null, `/results/${index}.png`),
      result_sha256: `sha_${index}`,
      result_mime: 'image/png',
      result_bytes: 1_000 + index,
      result_message_id: `result_${index}`,
      chat_path: one(null, `/results/${index}.chat.jpg`),
      chat_mime: 'image/jpeg',
      undelivered: one(null, 'channel_gone'),
      taken_back: one(null, 'cancelled', 'deleted'),
      quote_micros: micros(30_000 + index),
      attempts: 2,
      lost_leases: one(0, 1, 2, 3),
      stage_since_ms: 2_000 + index,
      missing_since_ms: one(null, 3_000),
      due_at_ms: one(NOW - 1, NOW, NOW + 1) + one(0, place, -place),
      line: one(null, 'accepted', kind.stage, 'submitting lip_sync', 'asking'),
      turn: place,
      woken_at_ms: one(null, NOW - 500, NOW + 500),
      fence: 1 + (index % 5),
      accepted_at_ms: 1_000 + place,
      acknowledged_at_ms: one(null, 1_500),
      submitted_at_ms: one(null, 6_000 + index),
      submit_from_ms: one(null, 5_000 + index),
      submit_to_ms: one(null, 5_500 + index),
      finished_at_ms: one(null, 7_000 + 3 * index),
      settled_at_ms: kind.stage === 'settled' || kind.stage === 'abandoned' ? 9_000 + place : null,
      updated_at_ms: 9_000,
    });
  });
}
