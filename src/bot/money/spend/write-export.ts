import { type HoldPlace, type SpendScope, listHoldsWithin } from '../../../../db/queries/spend-reports.ts';
import { ZERO } from '../../../base/money.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import { CSV_HEADER, type SpendLine, csvWriter } from './csv-writer.ts';

export interface SpendExport {
  readonly csv: string;
  readonly rows: number;
  /** Whether the export ends early, because it reached a limit. */
  readonly isCut: boolean;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly timeZone: string;
  /** Null for all members of the guild. */
  readonly userId: string | null;
}

const EXPORT_ROWS_MAX = 50_000;

const PAGE = 200;

interface WrittenExport {
  readonly csv: string;
  readonly rows: number;
  readonly isCut: boolean;
}

/** Writes the spending in `scope` as CSV, page by page, up to `bytesMax` and the row limit. */
export async function writeExport(
  db: Queryable,
  scope: SpendScope,
  { timeZone, bytesMax }: { readonly timeZone: string; readonly bytesMax: number },
): Promise<WrittenExport> {
  const write = csvWriter(timeZone);
  const lines = [CSV_HEADER];
  let sizeBytes = Buffer.byteLength(CSV_HEADER);
  const done = (isCut: boolean): WrittenExport => ({ csv: lines.join(''), rows: lines.length - 1, isCut });
  for (let after: HoldPlace | undefined; ;) {
    const holds = await listHoldsWithin(db, scope, { after, limit: PAGE });
    for (const hold of holds) {
      const line = write(lineOf(hold));
      sizeBytes += Buffer.byteLength(line);
      if (sizeBytes > bytesMax || lines.length > EXPORT_ROWS_MAX) return done(true);
      lines.push(line);
    }
    after = holds.at(-1);
    if (holds.length < PAGE) return done(false);
  }
}

function lineOf(hold: HoldRow): SpendLine {
  return {
    atMs: hold.created_at_ms,
    userId: hold.user_id,
    capability: hold.capability,
    state: hold.state,
    setAside: hold.state === 'pending' || hold.state === 'review' ? hold.amount_micros : ZERO,
    charged: hold.charged_micros,
    overrun: hold.overrun_micros,
    jobId: hold.subject,
  };
}
