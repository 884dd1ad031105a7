import type { CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { pickReply } from '../../src/bot/discord/words/picks/pick-reply.ts';
import type { PickedFile } from '../../src/bot/jobs/inputs/inputs.ts';
import type { Picker } from '../../src/bot/jobs/call-origin.ts';

/** Stores the files that a member chose and asks what to do with them. If there are several, the first is selected. */
export async function startPick(
  by: Picker,
  files: readonly PickedFile[],
  { picks }: CommandServices,
): Promise<CommandResult> {
  const pickId = await picks.keep(by, files);
  return { kind: 'reply', reply: pickReply(pickId, files, 0) };
}
