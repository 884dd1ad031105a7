import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/photo-swap image face` puts a face into a picture. */
export const photoSwap: Command = jobCommand(JOB_FORMS.photo_swap);
