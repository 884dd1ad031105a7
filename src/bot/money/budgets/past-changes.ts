import { insertCapChange, listCapChanges } from '../../../../db/queries/cap-changes.ts';
import type { CapRowKey } from '../../../../db/queries/caps.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { CapKey } from '../caps/cap.ts';
import { keyOf } from '../caps/cap-of.ts';

/** A past change of a cap. */
export interface PastChange {
  readonly key: CapKey;
  readonly before: MicroUsd | null;
  readonly after: MicroUsd | null;
  readonly byUserId: string;
  readonly atMs: number;
}

export interface PastChanges {
  readonly page: number;
  readonly changes: readonly PastChange[];
  readonly hasMore: boolean;
}

const PAGE_SIZE = 10;
const PAGE_MAX = 1_000;

/** Records a cap change. Does nothing if the limit stays the same. */
export async function noteCapChange(
  trx: Trx,
  key: CapRowKey,
  change: {
    readonly before: MicroUsd | null;
    readonly after: MicroUsd | null;
    readonly byUserId: string;
    readonly atMs: number;
  },
): Promise<void> {
  if (change.before === change.after) return;
  await insertCapChange(trx, {
    guild_id: key.guild_id,
    target_kind: key.target_kind,
    target_id: key.target_id,
    capability: key.capability,
    period: key.period,
    before_micros: change.before,
    after_micros: change.after,
    changed_by: change.byUserId,
    changed_at_ms: change.atMs,
  });
}

/** Returns a page of a guild's cap changes, newest first. The first page is 0. */
export async function pastChanges(db: Queryable, guildId: string, page: number): Promise<PastChanges> {
  const wanted = Number.isInteger(page) ? Math.min(Math.max(page, 0), PAGE_MAX) : 0;
  const slice = { offset: wanted * PAGE_SIZE, limit: PAGE_SIZE + 1 };
  const rows = await listCapChanges(db, guildId, slice);
  const changes = rows.slice(0, PAGE_SIZE).map((row) => ({
    key: keyOf(row),
    before: row.before_micros,
    after: row.after_micros,
    byUserId: row.changed_by,
    atMs: row.changed_at_ms,
  }));
  return { page: wanted, changes, hasMore: rows.length > PAGE_SIZE && wanted < PAGE_MAX };
}
