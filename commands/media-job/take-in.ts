import type { InputSource } from '../../src/bot/jobs/inputs/inputs.ts';
import type { Refusal } from '../../src/bot/jobs/intake/refusals.ts';
import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { formReply, refusalReply } from '../../src/bot/discord/words/replies/replies.ts';
import type { JobForm } from '../../src/bot/discord/words/forms/job-form.ts';
import { readInputs } from '../../src/bot/discord/words/forms/read-inputs.ts';
import { readParameters } from '../../src/bot/discord/words/forms/read-parameters.ts';

/**
 * Reads what a member gave by the form of a job, and hands the job in or says why not. What is already `known` of the
 * inputs, by option name, was chosen otherwise.
 */
export async function takeIn(
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

/** What a server's rules and budgets say of a member is nobody else's business. */
function isPersonal(refusal: Refusal): boolean {
  if (refusal.reason !== 'budget') return refusal.reason === 'access';
  const { kind } = refusal.cap.target;
  return kind === 'role' || kind === 'member';
}
