import type { CommandResult, CommandServices } from '../src/discord/command.ts';
import { pickReply } from '../src/discord/picks/pick-reply.ts';
import { sentenceReply } from '../src/discord/replies.ts';
import type { PickedFile, Picker } from '../src/jobs/ports.ts';

/** Keeps what a member chose and asks what to do with it. The first file is chosen where there are several. */
export async function startPick(
  by: Picker,
  files: readonly PickedFile[],
  { picks }: CommandServices,
): Promise<CommandResult> {
  const pickId = await picks.keep(by, files);
  return { kind: 'reply', reply: pickReply(pickId, files, 0) };
}

/** Why there is nothing to pick, in one sentence or two. */
export function say(sentence: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(sentence) };
}

export const PICK_GONE =
  'That was too long ago: what you choose is kept for 30 minutes. Open the menu or press the button once more.';

export const RESULT_GONE =
  'This result is no longer kept, so it cannot be used. If you have saved a copy, attach that to a new command.';
