import type { CommandServices, Form } from '../../src/bot/discord/command.ts';
import { requestJob } from '../media-job/request-job.ts';
import { asCommandCall } from '../../src/bot/discord/words/picks/as-command-call.ts';
import { findUse } from '../../src/bot/discord/words/picks/pick-id.ts';
import type { PickedFile } from '../../src/bot/jobs/inputs/inputs.ts';
import { PICK_GONE, RESULT_GONE, whisper } from './pick-replies.ts';
import type { Viewer } from '../../src/bot/jobs/call-origin.ts';

/** The form for a picked file. The job that it starts is visible to everyone, as if started by the slash command. */
export const pickedJob: Form = {
  action: 'pick-form',
  answer: 'public',

  async execute(call, services) {
    const chosen = await findUse(call.origin, call.args, services.picks);
    if (!chosen) return whisper(PICK_GONE);
    const { file, use } = chosen;
    if (await isGone(call.origin, file, services)) return whisper(RESULT_GONE);
    const given = new Map([[use.option, file.source]]);
    return requestJob(use.form, asCommandCall(call, use.form), services, given);
  },
};

/** Whether the picked file is gone. A result may be deleted while the member is filling in the form. */
async function isGone(by: Viewer, { source }: PickedFile, { results }: CommandServices): Promise<boolean> {
  return source.from === 'result' && !(await results.ofJob(by, source.jobId));
}
