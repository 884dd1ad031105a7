/**
 * Masquerade, to embed in a bot of your own: see `createMasquerade`. Nothing happens at import.
 * @module
 */
export { createMasquerade } from './bot.ts';
export { ServiceError } from './base/errors.ts';
export type { Clock, Timer } from './base/clock.ts';
export type { Logger } from './base/log.ts';
export { type MicroUsd, formatUsd, micros, parseUsd } from './base/money.ts';
export type { ConfiguredPrice, ConfiguredPrices } from './jobs/configured-prices.ts';
export type { JobLimits } from './jobs/job-limits.ts';
export type { StepEvent } from './jobs/worker.ts';
export type { Budget, BudgetView } from './ledger/budget.ts';
export type { Amount } from './ledger/usual-caps.ts';
export type { HostWeb, Masquerade, MasqueradeOptions, OwnClientOptions, OwnWeb } from './options.ts';
export type { LiveLimits } from './live/live-limits.ts';
export type { FrameTranslator, LiveFrameCodec } from './live-swap/frame-codec.ts';
export type { LiveSwapLimits } from './live-swap/live-swap-limits.ts';
export type { MediaApiLimits } from './media-api/media-api.ts';
export type { ReconciliationLimits } from './reconciliation/context.ts';
export { type Report, otherUse } from './reconciliation/report.ts';
export type { WireJob } from './media-api/wire.ts';
export { type TestDelivery, signTestDelivery } from './media-api/sign-test-delivery.ts';
export type { Readiness } from './web/health.ts';
