import {
  type ServiceCallRow,
  listCallsByServiceId,
  listCallsByTime,
  listCallsOfJobs,
} from '../../../../db/queries/service-calls.ts';
import {
  listSessionCalls,
  listSessionsByServiceId,
  listSessionsByTime,
} from '../../../../db/queries/session-calls.ts';
import type { Queryable } from '../../../../db/schema.ts';
import { boundsOfQuote } from './bounds-of-quote.ts';
import type { UsageWindow } from '../../../media-api/usage-dialects.ts';
import type { IdRelation } from './id-relation.ts';
import type { KnownCall } from './known-call.ts';
import { sessionCall } from './session-call.ts';

/** How far the service's clock may differ from the bot's: the same tolerance as for webhooks. */
const SKEW_MS = 300_000;
/** The longest time between the start of a call and the date of its record. */
const BEFORE_MS = 25 * 3_600_000;
const HOUR_MS = 3_600_000;
const PARTS_MAX = 200;
const IDS_AT_ONCE = 400;
const CALLS_MAX = 50_000;

interface LoadedCalls {
  readonly calls: readonly KnownCall[];
  /** False if there are too many calls to check. */
  readonly complete: boolean;
}

/** The ids and subjects to look for in addition to the calls of a window. */
interface Sought {
  readonly recordIds: readonly string[];
  /** The subjects of open holds. */
  readonly subjects: readonly string[];
  readonly ids: IdRelation;
}

/** Loads our calls that may have a record in a window of the usage log, and the calls with the given ids. */
export async function loadCalls(db: Queryable, window: UsageWindow, sought: Sought): Promise<LoadedCalls> {
  const near = await callsOfTime(db, window, sought.ids);
  const byRecord = await inParts(sought.recordIds, (some) => listCallsByServiceId(db, some));
  const byHold = await inParts(sought.subjects, (some) => listCallsOfJobs(db, some));
  const jobs = new Map([...near, ...byRecord, ...byHold].map((row) => [row.id, toCall(row)]));
  const sessions = await loadSessions(db, window, sought);
  const calls = [...jobs.values(), ...sessions.calls];
  return { calls, complete: near.length < CALLS_MAX && sessions.complete };
}

async function loadSessions(db: Queryable, window: UsageWindow, sought: Sought): Promise<LoadedCalls> {
  const range = { fromMs: window.fromMs - BEFORE_MS, toMs: window.toMs + SKEW_MS, limit: CALLS_MAX };
  // If record ids equal session ids, the record ids are enough to find the sessions.
  const near = sought.ids === 'equal' ? [] : await listSessionsByTime(db, range);
  const byRecord = await inParts(sought.recordIds, (some) => listSessionsByServiceId(db, some));
  const byHold = await inParts(sought.subjects, (some) => listSessionCalls(db, some));
  const all = [...near, ...byRecord, ...byHold];
  const found = new Map(all.map((row) => [row.id, sessionCall(row, SKEW_MS)]));
  return { calls: [...found.values()], complete: near.length < CALLS_MAX };
}

/** Reads the calls of the window in batches, so that nothing else in this process waits for long. */
async function callsOfTime(
  db: Queryable,
  window: UsageWindow,
  ids: IdRelation,
): Promise<readonly ServiceCallRow[]> {
  const found: ServiceCallRow[] = [];
  const toMs = window.toMs + SKEW_MS;
  const firstMs = window.fromMs - BEFORE_MS;
  const partMs = Math.max(HOUR_MS, Math.ceil((toMs - firstMs) / PARTS_MAX));
  for (let fromMs = firstMs; fromMs < toMs; fromMs += partMs) {
    const some = await listCallsByTime(db, {
      fromMs,
      toMs: Math.min(fromMs + partMs, toMs),
      // If record ids equal job ids, a record with an unknown id can only belong to a call whose id is not known.
      unconfirmed: ids === 'equal',
      limit: CALLS_MAX - found.length,
    });
    found.push(...some);
    if (found.length >= CALLS_MAX) break;
  }
  return found;
}

async function inParts<T>(
  ids: readonly string[],
  load: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let first = 0; first < ids.length; first += IDS_AT_ONCE) {
    found.push(...(await load(ids.slice(first, first + IDS_AT_ONCE))));
  }
  return found;
}

function toCall(row: ServiceCallRow): KnownCall {
  const isUnderWay = row.stage !== 'settled' && row.stage !== 'abandoned';
  // If a hold was freed because no record was found, a record of its call may still appear.
  const isFreed = row.state === 'voided' && row.outcome === 'unknown' && row.charged_micros === 0;
  const isOpen = row.state === 'pending' || row.state === 'review' || isFreed;
  return {
    subject: row.id,
    guildId: row.guild_id,
    serviceId: row.service_job_id,
    feature: row.capability,
    fromMs: (row.submit_from_ms ?? row.accepted_at_ms) - SKEW_MS,
    toMs: isUnderWay ? Infinity : endOf(row) + SKEW_MS,
    charged: isOpen ? null : row.charged_micros,
    isUnderWay,
    bounds: boundsOfQuote(row.rate_card, row.capability),
    quoted: row.amount_micros,
  };
}

/**
 * Returns the latest date that the call's record may have. The service dates the record by the call, which starts with
 * the submission. An unconfirmed call can only have been made while the bot was trying to submit it, and a confirmed
 * call had ended by the time the bot saw its end.
 */
function endOf(row: ServiceCallRow): number {
  const seenMs = row.service_job_id === null ? row.submit_to_ms : row.finished_at_ms;
  return seenMs ?? row.settled_at_ms ?? row.accepted_at_ms;
}
