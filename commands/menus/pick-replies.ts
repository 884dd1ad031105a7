import type { CommandResult } from '../../src/bot/discord/command.ts';
import { sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';

export const PICK_GONE =
  'That was too long ago: what you choose is kept for 30 minutes. Open the menu or press the button once more.';

export const RESULT_GONE =
  'This result is no longer kept, so it cannot be used. If you have saved a copy, attach that to a new command.';

/** Replies with one or two sentences that explain why nothing happens. */
export function say(sentence: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(sentence) };
}

/** Replies with one or two sentences that only the member can see, even where others would see a normal reply. */
export function whisper(sentence: string): CommandResult {
  return { kind: 'whisper', reply: sentenceReply(sentence) };
}
