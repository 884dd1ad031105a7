import { CARD_ACTIONS } from '../../src/bot/discord/words/replies/card-buttons.ts';
import type { CommandResult, CommandServices, Component } from '../../src/bot/discord/command.ts';
import {
  PAGE_ACTION,
  confirmedBeforeReply,
  deskRefusalReply,
  jobListReply,
  reportedReply,
  tookBackReply,
} from '../../src/bot/discord/words/replies/desk-replies.ts';
import { refusalReply } from '../../src/bot/discord/words/replies/replies.ts';
import type { CallOrigin } from '../../src/bot/jobs/call-origin.ts';

/** The "Retry" button posts a new card for the member who presses it. Only that member sees why a retry is refused. */
export const retryButton: Component = {
  action: CARD_ACTIONS.retry,
  answer: 'public',
  execute: ({ origin, args: [jobId = ''] }, services) => retry(origin, jobId, services),
};

/** The "Cancel" button cancels a running job. */
export const cancelButton: Component = {
  action: CARD_ACTIONS.cancel,
  answer: 'private',
  async execute({ origin, args: [jobId = ''] }, { desk }) {
    const done = await desk.cancel(origin, jobId);
    const reply = done.outcome === 'refused' ? deskRefusalReply(done) : tookBackReply('Cancelled', done);
    return { kind: 'reply', reply };
  },
};

/** Confirms the price of a job that waits for confirmation. The job's card, not a reply, shows that it continues. */
export const confirmButton: Component = {
  action: CARD_ACTIONS.confirm,
  answer: 'update',
  async execute({ origin, args: [jobId = ''] }, { desk }) {
    const done = await desk.confirm(origin, jobId);
    if (done.outcome === 'refused') return { kind: 'whisper', reply: deskRefusalReply(done) };
    return done.isNew ? { kind: 'nothing' } : { kind: 'whisper', reply: confirmedBeforeReply() };
  },
};

/** The "Delete" button removes the message and the files. */
export const deleteButton: Component = {
  action: CARD_ACTIONS.delete,
  answer: 'private',
  async execute({ origin, args: [jobId = ''] }, { desk }) {
    const done = await desk.remove(origin, jobId);
    const reply = done.outcome === 'refused' ? deskRefusalReply(done) : tookBackReply('Deleted', done);
    return { kind: 'reply', reply };
  },
};

/** The "Report" button notifies the moderators and no one else. */
export const reportButton: Component = {
  action: CARD_ACTIONS.report,
  answer: 'private',
  async execute({ origin, args: [jobId = ''] }, { desk }) {
    const done = await desk.report(origin, jobId);
    return {
      kind: 'reply',
      reply: done.outcome === 'refused' ? deskRefusalReply(done) : reportedReply(done),
    };
  },
};

/** The buttons that turn the pages of `/jobs list`. */
export const pageButton: Component = {
  action: PAGE_ACTION,
  answer: 'update',
  async execute({ origin, args: [whose, which, page] }, { desk }) {
    const query = {
      whose: whose === 'guild' ? 'guild' : 'own',
      which: which === 'open' ? 'open' : 'ended',
      page: Number.parseInt(page ?? '0', 10) || 0,
    } as const;
    return { kind: 'reply', reply: jobListReply(await desk.list(origin, query)) };
  },
};

/** Retries a job, and replies only if the retry is refused. */
export async function retry(
  origin: CallOrigin,
  jobId: string,
  { desk }: CommandServices,
): Promise<CommandResult> {
  const done = await desk.retry(origin, jobId);
  if (done.outcome === 'refused') return { kind: 'whisper', reply: deskRefusalReply(done) };
  const { capability, intake } = done;
  if (!intake.accepted) return { kind: 'whisper', reply: refusalReply(capability, intake.refusal) };
  return { kind: 'job', jobId: intake.jobId };
}
