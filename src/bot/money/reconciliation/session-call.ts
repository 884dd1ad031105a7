import type { SessionCallRow } from '../../../../db/queries/session-calls.ts';
import type { MicroUsd } from '../../../base/money.ts';
import { METER_TOLERANCE_MS, costOfTime, mostOfSession } from '../../../media-api/time-price.ts';
import type { KnownCall } from './known-call.ts';

/** Converts a session to a known call. `skewMs` is how far the service's clock may differ from the bot's. */
export function sessionCall(row: SessionCallRow, skewMs: number): KnownCall {
  const isUnderWay = row.state === 'opening' || row.state === 'open';
  const isOpen = row.hold_state === 'pending' || row.hold_state === 'review';
  return {
    subject: row.id,
    guildId: row.guild_id,
    serviceId: row.service_session_id,
    feature: row.capability,
    fromMs: row.opened_at_ms - skewMs,
    toMs: isUnderWay ? Infinity : (row.ended_at_ms ?? row.opened_at_ms) + skewMs,
    charged: isOpen ? null : row.booked_micros,
    isUnderWay,
    bounds: boundsOf(row),
    quoted: quotedOf(row),
    // A session that converted nothing is free, and the service may keep no record of it.
    isRecorded: row.metered_ms > 0,
    span: spanOf(row, isUnderWay),
  };
}

function quotedOf({
  granted_seconds: seconds,
  max_cost_micros: maxCost,
}: SessionCallRow): KnownCall['quoted'] {
  return seconds === null || maxCost === null ? undefined : mostOfSession({ seconds, maxCost });
}

function spanOf(row: SessionCallRow, isUnderWay: boolean): KnownCall['span'] {
  const { opened_at_ms: openedFromMs, ended_at_ms: endedAtMs } = row;
  const openedByMs = row.connected_at_ms ?? endedAtMs ?? Infinity;
  // If the session's process died, the session lasted at least as long as the meter shows.
  const aliveToMs = (row.connected_at_ms ?? openedFromMs) + row.metered_ms;
  const isExact = !isUnderWay && row.end_reason !== 'crashed' && endedAtMs !== null;
  return {
    openedFromMs,
    openedByMs,
    endedFromMs: isExact ? endedAtMs : aliveToMs,
    endedByMs: isUnderWay ? Infinity : (endedAtMs ?? Infinity),
  };
}

/** Returns the bounds of the price, computed from the bot's own meter; `undefined` if they are unknown. */
function boundsOf(row: SessionCallRow): KnownCall['bounds'] {
  const { granted_seconds: seconds, max_cost_micros: maxCost, metered_ms: meteredMs } = row;
  if (seconds === null || maxCost === null) return undefined;
  const cost = (ms: number): MicroUsd => costOfTime({ seconds, maxCost }, ms);
  const least = cost(meteredMs - METER_TOLERANCE_MS);
  // If the session's process died, the meter shows only the value that was last stored.
  const isWhole = row.state === 'ended' && row.end_reason !== 'crashed';
  return { least, most: isWhole ? cost(meteredMs + METER_TOLERANCE_MS) : maxCost };
}
