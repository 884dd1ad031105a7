import type { Database } from '../../../../db/database.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { ForeignUse } from '../ledger/foreign-use.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import type { Report } from './report.ts';

/** A failed job that the service charged for. */
interface ChargedFailure {
  readonly jobId: string;
  readonly guildId: string;
  readonly capability: string;
  readonly charged: MicroUsd;
}

/** Receives the notes for the operator. Each note is sent at least once; if a call fails, the note is sent again. */
export interface ReconciliationNotes {
  /** Foreign use of the account has grown by more than the threshold since the last note. */
  otherUse(report: Report): Promise<void>;
  chargedFailure(failure: ChargedFailure): Promise<void>;
  /** No foreign use has been reported for a day, so the alert about it is over. */
  quiet(): Promise<void>;
}

/** The components and data that a comparison works with. */
export interface ReconcileContext {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly foreignUse: ForeignUse;
  readonly api: Pick<MediaApi, 'account' | 'jobs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly notes: ReconciliationNotes;
  readonly limits: ReconciliationLimits;
}

/** The limits of the comparison. Times are in milliseconds. */
export interface ReconciliationLimits {
  /** The time from one comparison to the next. Default 30 min. */
  readonly intervalMs: number;
  /** A comparison is aborted after this time. Default 10 min. */
  readonly passMsMax: number;
  /** A hold that nothing has resolved after this time goes to review. Its amount stays held. Default 3 days. */
  readonly holdMsMax: number;
  /** The operator is notified when foreign use has grown by this much. Default $1. */
  readonly alarmAbove: MicroUsd;
}
