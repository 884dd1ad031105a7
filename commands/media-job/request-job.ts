import type { InputSource } from '../../src/bot/jobs/inputs/inputs.ts';
import type { Refusal } from '../../src/bot/jobs/intake/refusals.ts';
import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { formReply, refusalReply } from '../../src/bot/discord/words/replies/replies.ts';
import type { JobForm } from '../../src/bot/discord/words/forms/job-form.ts';
import { readInputs } from '../../src/bot/discord/words/forms/read-inputs.ts';
import { readParameters } from '../../src/bot/discord/words/forms/read-parameters.ts';

/**
 * Reads a call according to a job's form, and submits the job to the intake. `known` contains inputs that were chosen
 * earlier, by option name.
 */
export async function requestJob(
  form: JobForm,
  call: CommandCall,
  { intake, faces, voices }: CommandServices,
  known: ReadonlyMap<string, InputSource> = new Map(),
): Promise<CommandResult> {
  const { capability } = form;
  const files = await readInputs(form, call, faces, known);
  if (!files.ok) return { kind: 'reply', reply: formReply(capability, files.problem) };
  const rest = readParameters(form, call, voices);
  if (!rest.ok) return { kind: 'reply', reply: formReply(capability, rest.problem) };
  const { parameters, inputs } = rest.value;
  const outcome = await intake.accept({
    ...call.origin,
    capability,
    inputs: [...files.value, ...inputs],
    parameters,
  });
  if (outcome.accepted) return { kind: 'job', jobId: outcome.jobId };
  const kind = isPersonal(outcome.refusal) ? 'whisper' : 'reply';
  return { kind, reply: refusalReply(capability, outcome.refusal) };
}

/** Whether only the member may see the refusal, because it reveals rules or budgets that apply to the member. */
function isPersonal(refusal: Refusal): boolean {
  if (refusal.reason !== 'budget') return refusal.reason === 'access';
  const { kind } = refusal.cap.target;
  return kind === 'role' || kind === 'member';
}
