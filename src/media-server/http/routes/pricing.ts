import type { FastifyInstance } from 'fastify';
import { toUsdNumber } from '../../../base/money.ts';
import { SUBMIT_SEGMENT, type WireRate, type WireRateCard } from '../../../media-api/wire.ts';
import type { JobCapability } from '../../capabilities/capability.ts';
import type { Services } from '../services.ts';
import { rateCardVersion, resolveRate } from '../../store/rates.ts';

/**
 * `GET /pricing`: the public list without a key, the account's own rates with one. A key that is sent must
 * be valid, so that nobody takes the public list for theirs.
 */
export function pricingRoutes(app: FastifyInstance, { db, gate, capabilities }: Services): void {
  app.get('/pricing', (request): WireRateCard => {
    const accountId = gate.accountIfKeyed(request);
    return {
      version: rateCardVersion(db),
      currency: 'USD',
      capabilities: capabilities.map((capability) => toWireRate(capability, accountId)),
    };
  });

  function toWireRate({ feature, unit }: JobCapability, accountId: string | undefined): WireRate {
    const rate = resolveRate(db, feature, accountId);
    return {
      endpoint: SUBMIT_SEGMENT[feature],
      feature,
      unit,
      rate_usd: toUsdNumber(rate.rate),
      minimum_usd: toUsdNumber(rate.minimum),
      estimated_hold_usd: toUsdNumber(rate.hold),
    };
  }
}
