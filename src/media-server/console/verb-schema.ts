import { z } from 'zod';
import type { ConsoleVerb } from './console-wire.ts';

const id = z.string().max(100);
/** Text that a user typed. It is parsed later, when its meaning is known. */
const typed = z.string().max(200);

/** The schema of a verb as the page sends it. */
export const verbSchema: z.ZodType<ConsoleVerb> = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('create_account'), name: typed }),
  z.strictObject({ verb: z.literal('top_up'), accountId: id, dollars: typed }),
  z.strictObject({
    verb: z.literal('create_key'),
    accountId: id,
    name: typed,
    requestsPerMinute: typed.nullable(),
  }),
  z.strictObject({ verb: z.literal('limit_key'), keyId: id, requestsPerMinute: typed }),
  z.strictObject({ verb: z.literal('revoke_key'), keyId: id }),
  z.strictObject({ verb: z.literal('show_secret'), accountId: id }),
  z.strictObject({ verb: z.literal('rotate_secret'), accountId: id, overlapMinutes: typed }),
  z.strictObject({
    verb: z.literal('set_rate'),
    capability: id,
    accountId: id.nullable(),
    rate: typed.nullable(),
    minimum: typed.nullable(),
    hold: typed.nullable(),
  }),
  z.strictObject({ verb: z.literal('reset_rate'), capability: id, accountId: id }),
  z.strictObject({ verb: z.literal('switch_capability'), capability: id, enabled: z.boolean() }),
  z.strictObject({ verb: z.literal('set_ceiling'), ceiling: id, value: typed }),
  z.strictObject({ verb: z.literal('cancel_job'), jobId: id }),
  z.strictObject({ verb: z.literal('new_password') }),
]);
