import type { MicroUsd } from '../../../base/money.ts';
import type { CapKey } from '../caps/cap.ts';

/** One change of a cap in the past. */
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
