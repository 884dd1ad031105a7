import type { MessageCalls, SeenMessage } from './message-calls.ts';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';

const LOOK_PAGES_MAX = 5;
const LOOK_PAGE_SIZE = 100;
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

interface Sought {
  readonly channelId: string;
  /** The search stops at messages that are older than this time. */
  readonly sinceMs: number;
  readonly matches: (message: SeenMessage) => boolean;
}

/**
 * Finds a message that was posted but, because of a crash, not recorded. Discord forgets a nonce after a few minutes,
 * so a post that is repeated later needs this search first. Throws `DiscordError` if Discord cannot be reached.
 */
export async function findEarlierMessage(
  calls: MessageCalls,
  { channelId, sinceMs, matches }: Sought,
  signal: AbortSignal,
): Promise<SeenMessage | undefined> {
  let beforeId: string | undefined;
  for (let page = 0; page < LOOK_PAGES_MAX; page++) {
    const messages = await look(calls, { channelId, beforeId }, signal);
    const found = messages.find(matches);
    const last = messages.at(-1);
    if (found || !last || messages.length < LOOK_PAGE_SIZE || sentAtMs(last) < sinceMs) return found;
    beforeId = last.id;
  }
  return undefined;
}

async function look(
  calls: MessageCalls,
  { channelId, beforeId }: { readonly channelId: string; readonly beforeId: string | undefined },
  signal: AbortSignal,
): Promise<SeenMessage[]> {
  const page = { limit: LOOK_PAGE_SIZE, ...(beforeId === undefined ? {} : { beforeId }) };
  try {
    return await calls.listMessages(channelId, page, signal);
  } catch (error) {
    // A bot that may not read this channel may still be allowed to post. In this case, only the nonce prevents a
    // second message.
    if (judgeRestError(error).kind !== 'unreachable') return [];
    throw withoutRequest(error, 'look for an earlier message');
  }
}

function sentAtMs(message: SeenMessage): number {
  return Number((BigInt(message.id) >> 22n) + DISCORD_EPOCH_MS);
}
