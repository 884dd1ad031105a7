/**
 * Masquerade, for embedding in your own bot: see `createMasquerade`. Importing this module has no side effects.
 * @module
 */
export { createMasquerade } from './compose/create-masquerade.ts';
export { openMediaPool } from './compose/open-media-pool.ts';
export { ServiceError } from './base/errors.ts';
export type { Clock, Timer } from './base/clock.ts';
export type { Logger } from './base/log.ts';
export { type MicroUsd, formatUsd, micros, parseUsd } from './base/money.ts';
export type { ConfiguredPrice, ConfiguredPrices } from './bot/jobs/prices/configured-prices.ts';
export type { JobLimits } from './bot/jobs/job-limits.ts';
export type { StepEvent } from './bot/jobs/run/worker.ts';
export type { MediaPool } from './bot/media/pool/media-pool.ts';
export type { ChartRequest, SpendCharts } from './bot/money/charts/chart-request.ts';
export type { Budget, BudgetView } from './bot/money/caps/budget.ts';
export type { Amount } from './bot/money/caps/usual-caps.ts';
export type {
  HostWeb,
  Masquerade,
  MasqueradeOptions,
  OwnClientOptions,
  OwnWeb,
} from './compose/masquerade-options.ts';
export type { SessionLimits as LiveLimits } from './bot/sessions/session-limits.ts';
export type { FrameTranslator, LiveFrameCodec } from './bot/sessions/live-swap/live-frame-codec.ts';
export type { LiveSwapLimits } from './bot/sessions/live-swap/live-swap-limits.ts';
export type { MediaApiLimits } from './media-api/media-api.ts';
export type { ReconciliationLimits } from './bot/money/reconciliation/reconcile-context.ts';
export { type Report, otherUse } from './bot/money/reconciliation/report.ts';
export type { WireJob } from './media-api/wire.ts';
export { type TestDelivery, signTestDelivery } from './media-api/sign-test-delivery.ts';
export type { Readiness } from './bot/web/register-health.ts';
