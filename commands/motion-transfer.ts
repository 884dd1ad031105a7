import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/motion-transfer image motion` makes a picture move like the person in a video. */
export const motionTransfer: Command = jobCommand(JOB_FORMS.motion_transfer);
