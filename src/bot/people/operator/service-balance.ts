import { z } from 'zod';
import { type MicroUsd, micros } from '../../../base/money.ts';
import { getSetting, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable } from '../../../../db/schema.ts';

/** The balance of the service account when one of the processes last read it. */
export interface ServiceBalance {
  readonly balance: MicroUsd;
  readonly asOfMs: number;
}

const NAME = 'service_balance';
const stored = z.object({ balance: z.number().int().transform(micros), asOfMs: z.number() });

/** Returns the stored balance; null before the first reading. */
export async function findServiceBalance(db: Queryable): Promise<ServiceBalance | null> {
  const text = await getSetting(db, NAME);
  return text === undefined ? null : stored.parse(JSON.parse(text));
}

export function putServiceBalance(db: Queryable, balance: ServiceBalance): Promise<void> {
  return putSetting(db, NAME, JSON.stringify(balance));
}
