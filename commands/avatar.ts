import type { Command } from '../src/bot/discord/command.ts';
import { jobCommand } from './media-job/job-command.ts';
import { JOB_FORMS } from '../src/bot/discord/words/forms/job-forms.ts';

/** `/avatar image script voice language resolution` makes a portrait speak a script. */
export const avatar: Command = jobCommand(JOB_FORMS.avatar);
