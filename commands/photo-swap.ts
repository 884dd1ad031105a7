import { type Command, type CommandCall, IN_SERVERS_ONLY, attachmentOption } from '../src/discord/command.ts';
import { refusalReply } from '../src/discord/replies.ts';
import type { InputRequest, IntakeOutcome, JobIntake } from '../src/jobs/ports.ts';

const CAPABILITY = 'photo_swap';

const INPUTS = [
  { option: 'image', field: 'image_key', kind: 'image' },
  { option: 'face', field: 'face_key', kind: 'image' },
] as const;

/** `/photo-swap image face`: puts a face into a picture. */
export const photoSwap: Command = {
  data: {
    name: 'photo-swap',
    description: 'Put a face into a picture',
    ...IN_SERVERS_ONLY,
    options: [
      attachmentOption('image', 'The picture to change', 'image'),
      attachmentOption('face', 'A picture of the face to put in it', 'image'),
    ],
  },

  async execute(call, { intake }) {
    const outcome = await takeIn(call, intake);
    if (outcome.accepted) return { kind: 'job', jobId: outcome.jobId };
    return { kind: 'reply', reply: refusalReply(CAPABILITY, outcome.refusal) };
  },
};

async function takeIn(call: CommandCall, intake: JobIntake): Promise<IntakeOutcome> {
  const inputs: InputRequest[] = [];
  for (const input of INPUTS) {
    const file = call.attachments.get(input.option);
    if (!file) {
      const refusal = { reason: 'input', option: input.option, problem: { kind: 'missing' } } as const;
      return { accepted: false, refusal };
    }
    inputs.push({ ...input, source: { from: 'chat', url: file.url, sizeBytes: file.sizeBytes } });
  }
  return intake.accept({ ...call.origin, capability: CAPABILITY, inputs, parameters: {} });
}
