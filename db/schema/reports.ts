import type { Selectable } from 'kysely';

/** A member's report that a result should not exist. */
export interface ReportsTable {
  id: string;
  job_id: string;
  guild_id: string;
  reporter_id: string;
  created_at_ms: number;
}

export type ReportRow = Selectable<ReportsTable>;
