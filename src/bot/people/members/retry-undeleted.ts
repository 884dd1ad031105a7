import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import {
  deferUndeletedOf,
  findDueUndeleted,
  deleteOldUndeletedMessages,
  deleteUndeletedMessage,
} from '../../../../db/queries/undeleted-messages.ts';
import type { JobPublisher } from '../../jobs/job-publisher.ts';

interface UndeletedOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly publisher: Pick<JobPublisher, 'remove'>;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The number of days for which the bot keeps trying to delete a message. */
const UNDELETED_DAYS = 30;
const CHANNELS_AT_ONCE_MAX = 50;

/**
 * Tries once a day to delete the messages that could not be deleted, because the bot may have been granted the
 * permission in the meantime. After 30 days, it gives up.
 */
export async function retryUndeleted(options: UndeletedOptions, signal: AbortSignal): Promise<void> {
  const { db, clock, log, publisher } = options;
  await deleteOldUndeletedMessages(db.kysely, clock.now() - UNDELETED_DAYS * DAY_MS);
  for (let refused = 0; refused < CHANNELS_AT_ONCE_MAX && !signal.aborted;) {
    const message = await findDueUndeleted(db.kysely, clock.now());
    if (!message) return;
    const { message_id: messageId, channel_id: channelId } = message;
    try {
      if (await publisher.remove({ channelId, messageId }, signal)) {
        await deleteUndeletedMessage(db.kysely, messageId);
        continue;
      }
      await deferUndeletedOf(db.kysely, channelId, clock.now() + DAY_MS);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ channelId, error }, 'Cannot delete a message in Discord, will try again');
      await deferUndeletedOf(db.kysely, channelId, clock.now() + HOUR_MS);
    }
    refused += 1;
  }
}
