import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchLedgerSize } from './ledger/size.ts';
import { benchBookings } from './ledger/bookings.ts';

/**
 * Measures the cost of a hold and its charge, compared with two bare inserts, and whether it grows with the length of
 * the history.
 */
export async function benchLedger(isShort: boolean): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'masquerade-ledger-'));
  try {
    return [...(await benchBookings(folder)), await benchLedgerSize(folder, isShort)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
