import { z } from 'zod';

/**
 * The API's documented JSON, field by field, as both sides use it. Amounts here are JSON numbers in dollars, and each
 * program converts them to whole micro-dollars (`base/money.ts`) when it parses them.
 */

export const CAPABILITIES = [
  'identity_swap',
  'video_swap',
  'photo_swap',
  'motion_transfer',
  'avatar',
  'lip_sync',
] as const;

/** The six job capabilities, by their feature names (snake_case, as in usage records). */
export type Capability = (typeof CAPABILITIES)[number];

/** The path segment under `/v1/` that submits a job; also `endpoint` in usage records. */
export const SUBMIT_SEGMENT: Readonly<Record<Capability, string>> = {
  identity_swap: 'character-swap',
  video_swap: 'face-swap',
  photo_swap: 'face-swap-image',
  motion_transfer: 'motion-control',
  avatar: 'avatar',
  lip_sync: 'lip-sync',
};

export const SESSION_CAPABILITIES = ['live_swap_pro', 'voice_swap'] as const;

/** The two session capabilities, by their feature names. */
export type SessionCapability = (typeof SESSION_CAPABILITIES)[number];

/** The path segment before `/session` that opens a session; also `endpoint` in usage records. */
export const SESSION_SEGMENT: Readonly<Record<SessionCapability, string>> = {
  live_swap_pro: 'full-live-swap',
  voice_swap: 'voice',
};

/** Everything that has a rate: the six job capabilities and the two session capabilities. */
export type PricedCapability = Capability | SessionCapability;

export const PRICED_CAPABILITIES: readonly PricedCapability[] = [...CAPABILITIES, ...SESSION_CAPABILITIES];

export function isSession(capability: PricedCapability): capability is SessionCapability {
  return SESSION_CAPABILITIES.some((session) => session === capability);
}

/** The `endpoint` of each capability, as it appears in usage records and the rate card. */
export const ENDPOINT: Readonly<Record<PricedCapability, string>> = { ...SUBMIT_SEGMENT, ...SESSION_SEGMENT };

export const HTTP_ERROR_CODES = [
  'unauthorized',
  'insufficient_balance',
  'invalid_input',
  'unsupported_format',
  'input_too_large',
  'capability_unavailable',
  'not_found',
  'rate_limited',
  'at_capacity',
  'capacity_unavailable',
  'capacity_warming',
  'internal_error',
] as const;

export type HttpErrorCode = (typeof HTTP_ERROR_CODES)[number];

export const JOB_ERROR_CODES = [
  'face_not_detected',
  'unsupported_format',
  'input_too_large',
  'content_rejected',
  'processing_failed',
] as const;

export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

export const USAGE_REASONS = [
  'session_limit_reached',
  'no_stream',
  'render_failed',
  'timed_out',
  'cancelled',
] as const;

export type UsageReason = (typeof USAGE_REASONS)[number];

export type JobStatus = 'queued' | 'processing' | 'succeeded' | 'failed';

/** The body of every HTTP error. */
export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string };
}

export const errorEnvelope: z.ZodType<ErrorEnvelope> = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});

export interface WireUpload {
  readonly file_key: string;
  readonly url: string;
}

export const wireUpload: z.ZodType<WireUpload> = z.object({
  file_key: z.string().startsWith('api/'),
  url: z.string(),
});

/** The answer to every job submission. */
export interface WireSubmitted {
  readonly id: string;
  readonly status: string;
  readonly status_url: string;
}

export const wireSubmitted: z.ZodType<WireSubmitted> = z.object({
  id: z.string().min(1),
  status: z.string(),
  status_url: z.string(),
});

/** `GET /v1/jobs/{job_id}`, and `data` of a webhook. `status` may hold values newer than `JobStatus`. */
export interface WireJob {
  readonly id: string;
  readonly status: string;
  readonly output_url: string | null;
  readonly charged_usd: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export const wireJob: z.ZodType<WireJob> = z.object({
  id: z.string().min(1),
  status: z.string(),
  output_url: z.string().nullish().transform(orNull),
  charged_usd: z.number().nullish().transform(orNull),
  error: z
    .object({ code: z.string(), message: z.string().catch('') })
    .nullish()
    .transform(orNull),
});

/** The body of a job webhook. */
export interface WireDelivery {
  readonly event: string;
  readonly sent_at: string;
  readonly delivery_id: string;
  readonly data: WireJob;
}

export const wireDelivery: z.ZodType<WireDelivery> = z.object({
  event: z.string(),
  sent_at: z.string(),
  delivery_id: z.string().min(1).max(200),
  data: wireJob,
});

/** The answer to `POST /v1/voice/session`. */
export interface WireVoiceSession {
  readonly session_id: string;
  readonly stream_url: string;
  readonly session_token: string;
  readonly max_duration_sec: number;
  readonly max_cost_usd: number;
}

const voiceSessionFields = {
  session_id: z.string().min(1),
  stream_url: z.string(),
  session_token: z.string().min(1),
  max_duration_sec: z.int().positive(),
  max_cost_usd: z.number(),
};

export const wireVoiceSession: z.ZodType<WireVoiceSession> = z.object(voiceSessionFields);

/** The answer to `POST /v1/full-live-swap/session`. */
export interface WireLiveSession extends WireVoiceSession {
  /** The prompt that the session uses. */
  readonly prompt: string;
}

export const wireLiveSession: z.ZodType<WireLiveSession> = z.object({
  ...voiceSessionFields,
  prompt: z.string(),
});

/** The text frame that starts a voice stream. */
export interface WireVoiceFormat {
  readonly sample_rate: number;
  /** The approximate number of samples per message. */
  readonly chunk_frames: number;
}

export const wireVoiceFormat: z.ZodType<WireVoiceFormat> = z.object({
  sample_rate: z.int().positive(),
  chunk_frames: z.int().positive(),
});

export interface WireVoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly preview_url: string;
}

/** The answer to `GET /v1/voices`. */
export const wireVoices: z.ZodType<readonly WireVoice[]> = z.array(
  z.object({ id: z.string(), name: z.string(), description: z.string(), preview_url: z.string() }),
);

export interface WireBalance {
  readonly balance_usd: number;
  readonly total_spent_usd: number;
  readonly total_topped_up_usd: number;
  readonly spent_this_week_usd: number;
  readonly spent_this_month_usd: number;
  readonly spent_this_year_usd: number;
}

export const wireBalance: z.ZodType<WireBalance> = z.object({
  balance_usd: z.number(),
  total_spent_usd: z.number(),
  total_topped_up_usd: z.number(),
  spent_this_week_usd: z.number(),
  spent_this_month_usd: z.number(),
  spent_this_year_usd: z.number(),
});

export interface WireUsageRecord {
  readonly id: string;
  readonly endpoint: string;
  readonly feature: string;
  readonly status: string;
  readonly charged_usd: number;
  readonly reason: string | null;
  readonly created_at: string;
}

export const wireUsage: z.ZodType<readonly WireUsageRecord[]> = z.array(
  z.object({
    id: z.string(),
    endpoint: z.string(),
    feature: z.string(),
    status: z.string(),
    charged_usd: z.number(),
    reason: z.string().nullish().transform(orNull),
    created_at: z.string(),
  }),
);

/** The answer to `GET /v1/usage/summary`: `total_calls` = `succeeded` + `failed` + `in_flight`. */
export interface WireUsageSummary {
  readonly total_calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly in_flight: number;
  readonly total_spent_usd: number;
  readonly per_feature: readonly {
    readonly feature: string;
    readonly calls: number;
    readonly spend_usd: number;
  }[];
}

export const wireUsageSummary: z.ZodType<WireUsageSummary> = z.object({
  total_calls: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  in_flight: z.int(),
  total_spent_usd: z.number(),
  per_feature: z.array(z.object({ feature: z.string(), calls: z.int(), spend_usd: z.number() })),
});

/**
 * The rate card as the embedded media server writes it. The API does not define its fields, so a client must not rely
 * on this shape: `rate-card.ts` reads other shapes too.
 */
export interface WireRateCard {
  readonly version: number;
  readonly currency: 'USD';
  readonly capabilities: readonly WireRate[];
}

export interface WireRate {
  readonly endpoint: string;
  readonly feature: string;
  readonly unit: 'image' | 'second' | 'minute';
  readonly rate_usd: number;
  readonly minimum_usd: number;
  readonly estimated_hold_usd: number;
}

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
