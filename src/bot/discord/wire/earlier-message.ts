import type { MessageCalls, SeenMessage } from './message-calls.ts';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';

const LOOK_PAGES_MAX = 5;
const LOOK_PAGE_SIZE = 100;
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/**
 * Discord forgets a nonce after some minutes, and a crash may have come between post and record: so the channel is
 * looked through, back to `sinceMs`, before anything is posted again. Throws `DiscordError` when Discord could not be
 * asked.
 */
export async function findEarlierMessage(
  calls: MessageCalls,
  where: { readonly channelId: string; readonly sinceMs: number },
  matches: (message: SeenMessage) => boolean,
  signal: AbortSignal,
): Promise<SeenMessage | undefined> {
  let beforeId: string | undefined;
  for (let page = 0; page < LOOK_PAGES_MAX; page++) {
    const messages = await look(calls, where.channelId, beforeId, signal);
    const found = messages.find(matches);
    const last = messages.at(-1);
    if (found || !last || messages.length < LOOK_PAGE_SIZE || sentAtMs(last) < where.sinceMs) return found;
    beforeId = last.id;
  }
  return undefined;
}

async function look(
  calls: MessageCalls,
  channelId: string,
  beforeId: string | undefined,
  signal: AbortSignal,
): Promise<SeenMessage[]> {
  const page = { limit: LOOK_PAGE_SIZE, ...(beforeId === undefined ? {} : { beforeId }) };
  try {
    return await calls.listMessages(channelId, page, signal);
  } catch (error) {
    // A bot that may not read here cannot look, but may still be allowed to post; the nonce guards that.
    if (judgeRestError(error).kind !== 'unreachable') return [];
    throw withoutRequest(error, 'look for an earlier message');
  }
}

function sentAtMs(message: SeenMessage): number {
  return Number((BigInt(message.id) >> 22n) + DISCORD_EPOCH_MS);
}
