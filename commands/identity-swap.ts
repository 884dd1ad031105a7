import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/identity-swap video character resolution` replaces the person in a video with a character. */
export const identitySwap: Command = jobCommand(JOB_FORMS.identity_swap);
