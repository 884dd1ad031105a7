import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/lip-sync video audio resolution` makes the lips in a video follow a recording. */
export const lipSync: Command = jobCommand(JOB_FORMS.lip_sync);
