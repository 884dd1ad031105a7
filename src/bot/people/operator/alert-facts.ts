import { z } from 'zod';
import { micros } from '../../../base/money.ts';
import type { OperatorAlert } from './operator-alert.ts';

const amount = z.number().int().transform(micros);

const stored: z.ZodType<OperatorAlert> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('low_balance'), balance: amount, held: amount, threshold: amount }),
  z.object({
    kind: z.literal('account_empty'),
    needed: amount,
    balance: amount.nullable(),
    by: z.enum(['balance', 'service']),
  }),
  z.object({ kind: z.literal('key_refused') }),
  z.object({ kind: z.literal('other_use'), foreign: amount, drift: amount }),
  z.object({
    kind: z.literal('overrun'),
    guildId: z.string(),
    capability: z.string(),
    held: amount,
    charged: amount,
  }),
  z.object({ kind: z.literal('charged_failure'), jobId: z.string(), charged: amount }),
]);

/** Serializes an alert for its row. */
export function writeFacts(alert: OperatorAlert): string {
  return JSON.stringify(alert);
}

/** Parses the output of `writeFacts`. Throws on anything else. */
export function readFacts(facts: string): OperatorAlert {
  return stored.parse(JSON.parse(facts));
}
