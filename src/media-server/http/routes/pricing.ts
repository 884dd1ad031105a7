import type { FastifyInstance } from 'fastify';
import { ZERO, toUsdNumber } from '../../../base/money.ts';
import {
  ENDPOINT,
  type PricedCapability,
  type WireRate,
  type WireRateCard,
} from '../../../media-api/wire.ts';
import type { JobCapability } from '../../capabilities/capability.ts';
import { blockOf } from '../../billing/session-price.ts';
import type { Services } from '../services.ts';
import type { SessionKind } from '../../sessions/session-kind.ts';
import { type Rate, rateCardVersion, resolveRate } from '../../store/rates.ts';

/**
 * The length, in seconds, of an example session. The rate card shows the example's block as the estimated hold; a real
 * session's block depends on its own length.
 */
const EXAMPLE_SECONDS = 600;

/**
 * Adds the route `GET /pricing`: the public list without a key, the account's rates with one. A key must be valid if it
 * is sent, so that no client mistakes the public list for its own rates.
 */
export function pricingRoutes(app: FastifyInstance, services: Services): void {
  const { db, gate, capabilities, sessionKinds } = services;
  app.get('/pricing', (request): WireRateCard => {
    const accountId = gate.accountIfKeyed(request);
    return {
      version: rateCardVersion(db),
      currency: 'USD',
      capabilities: [
        ...capabilities.map((capability) => rateOfJob(capability, accountId)),
        ...sessionKinds.map((kind) => rateOfSession(kind, accountId)),
      ],
    };
  });

  function rateOfJob({ feature, unit }: JobCapability, accountId: string | undefined): WireRate {
    const { rate, minimum, hold } = resolveRate(db, feature, accountId);
    return toWireRate(feature, unit, { rate, minimum, hold });
  }

  function rateOfSession({ feature }: SessionKind, accountId: string | undefined): WireRate {
    const { rate } = resolveRate(db, feature, accountId);
    return toWireRate(feature, 'minute', { rate, minimum: ZERO, hold: blockOf(rate, EXAMPLE_SECONDS) });
  }
}

function toWireRate(feature: PricedCapability, unit: WireRate['unit'], rate: Rate): WireRate {
  return {
    endpoint: ENDPOINT[feature],
    feature,
    unit,
    rate_usd: toUsdNumber(rate.rate),
    minimum_usd: toUsdNumber(rate.minimum),
    estimated_hold_usd: toUsdNumber(rate.hold),
  };
}
