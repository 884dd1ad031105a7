import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/video-swap video face resolution` puts a face into a video. */
export const videoSwap: Command = jobCommand(JOB_FORMS.video_swap);
