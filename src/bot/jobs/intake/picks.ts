import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Database } from '../../../../db/database.ts';
import { findPick, deleteOlderPicks, insertPick, purgePicks } from '../../../../db/queries/picks.ts';
import type { PickedFile } from '../inputs/inputs.ts';
import type { Picker } from '../call-origin.ts';

const KEEP_MS = 30 * 60_000;
const PER_USER_MAX = 20;
const PURGED_MAX = 10_000;

const pickedFiles: z.ZodType<readonly PickedFile[]> = z.array(
  z.object({
    kind: z.enum(['image', 'audio', 'video']),
    name: z.string(),
    source: z.discriminatedUnion('from', [
      z.object({
        from: z.literal('chat'),
        url: z.string(),
        sizeBytes: z.number().nullable(),
        of: z.object({ kind: z.enum(['avatar', 'message']), userId: z.string() }).exactOptional(),
        postedIn: z
          .object({ messageId: z.string(), authorId: z.string(), isOwn: z.boolean() })
          .exactOptional(),
      }),
      z.object({ from: z.literal('result'), jobId: z.string() }),
    ]),
  }),
);

/**
 * Stores the files that members chose with a menu or button. Buttons and forms contain only an id, because a signed
 * link is too long for a custom id. The bot cannot read the link again later, because without the Message Content
 * intent, Discord includes attachments of other people's messages only in the interaction itself.
 */
export class Picks {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(options: { readonly db: Database; readonly clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  /** Stores the files for this member only. Returns an id that is valid for the next 30 minutes. */
  async keep({ guildId, userId }: Picker, files: readonly PickedFile[]): Promise<string> {
    const id = randomId('pick');
    const pick = {
      id,
      guild_id: guildId,
      user_id: userId,
      files: JSON.stringify(files),
      made_at_ms: this.#clock.now(),
    };
    await this.#db.transaction(`member:${userId}`, async (trx) => {
      await insertPick(trx, pick);
      await deleteOlderPicks(trx, { userId, keep: PER_USER_MAX });
    });
    return id;
  }

  /** Finds stored files. Returns `undefined` if they are too old or belong to another member. */
  async find(by: Picker, id: string): Promise<readonly PickedFile[] | undefined> {
    const sinceMs = this.#clock.now() - KEEP_MS;
    const pick = await findPick(this.#db.kysely, { ...by, id, sinceMs });
    return pick && pickedFiles.parse(JSON.parse(pick.files));
  }

  /** Deletes picks that are too old to be found. Returns their number. */
  async purge(): Promise<number> {
    return purgePicks(this.#db.kysely, { beforeMs: this.#clock.now() - KEEP_MS, limit: PURGED_MAX });
  }
}
