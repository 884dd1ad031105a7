import type { Database } from '../../../../db/database.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { ForeignUse } from '../ledger/foreign-use.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import type { Report } from './report.ts';

/** A job that failed at the service, which charged for it all the same. */
export interface ChargedFailure {
  readonly jobId: string;
  readonly guildId: string;
  readonly capability: string;
  readonly charged: MicroUsd;
}

/** Hears what the operator has to see to. Each is told at least once, and again when it could not be heard. */
export interface ReconciliationNotes {
  /** Use of the account beside the guilds' has grown by more than the threshold since it was told last. */
  otherUse(report: Report): Promise<void>;
  chargedFailure(failure: ChargedFailure): Promise<void>;
  /** There was nothing more to be told for a day. */
  quiet(): Promise<void>;
}

/** What a comparison works with. */
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

/** Bounds of the comparison. Times in milliseconds. */
export interface ReconciliationLimits {
  /** From one comparison to the next. Default 30 min. */
  readonly intervalMs: number;
  /** A comparison is given up after this long. Default 10 min. */
  readonly passMsMax: number;
  /** A hold without an end is set aside for review after this long; it stays held. Default 3 days. */
  readonly holdMsMax: number;
  /** Use beside the guilds' that the operator is told of, each time so much is added. Default $1. */
  readonly alarmAbove: MicroUsd;
}
