import type { Choice, Command, CommandServices, CompletionCall } from '../../src/bot/discord/command.ts';
import { formCommandData } from '../../src/bot/discord/words/forms/form-command-data.ts';
import { type JobForm, SAVED_FACE_OPTION } from '../../src/bot/discord/words/forms/job-form.ts';
import { requestJob } from './request-job.ts';
import { suggestVoices } from '../../src/bot/discord/words/forms/voice-choices.ts';

/** Creates the slash command for one kind of job from the job's form. */
export function jobCommand(form: JobForm): Command {
  return {
    data: formCommandData(form),
    execute: (call, services) => requestJob(form, call, services),
    complete: (call, services) => complete(form, call, services),
  };
}

async function complete(
  form: JobForm,
  { option, typed, origin }: CompletionCall,
  { faces, voices }: CommandServices,
): Promise<readonly Choice[]> {
  if (option === SAVED_FACE_OPTION) return faces.suggest(origin.userId, typed);
  const isVoice = form.parameters.some(
    (parameter) => parameter.type === 'voice' && parameter.option === option,
  );
  return isVoice ? suggestVoices(voices.list ?? [], typed) : [];
}
