import type { SpendPeriod } from './spend-buckets.ts';
import type { SpendReport } from './spend-report.ts';

/** Who asks what was spent, and what the chat says that they may do. */
export interface SpendViewer {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server. */
  readonly isAdmin: boolean;
}

/** What is asked for: without member what the viewer may see, without capability everything. */
export interface SpendQuery {
  readonly period: SpendPeriod;
  readonly memberId?: string | undefined;
  readonly capability?: string | undefined;
}

/**
 * Where a guild's money went. Those who manage the budget see all of it, everybody else what they spent themselves.
 * Both throw a `SpendError` with words for who asked: `not_yours`.
 */
export interface SpendDesk {
  report(viewer: SpendViewer, query: SpendQuery): Promise<SpendReport>;
  /** One line for each job and session, oldest first, as CSV of at most about `bytesMax`. */
  export(viewer: SpendViewer, query: SpendQuery, bytesMax: number): Promise<SpendExport>;
}

export interface SpendExport {
  readonly csv: string;
  readonly rows: number;
  /** There are more than were written: those after the last line are missing. */
  readonly isCut: boolean;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly timeZone: string;
  /** Null: everybody in the guild. */
  readonly userId: string | null;
}
