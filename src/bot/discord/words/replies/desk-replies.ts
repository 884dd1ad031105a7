import type { APIEmbedField } from 'discord.js';
import { formatUsd } from '../../../../base/money.ts';
import { button, buttonRow } from './buttons.ts';
import { failureButtons, priceButtons, progressButtons, resultButtons } from './card-buttons.ts';
import { cardReference, safeFileName } from './cards.ts';
import type { ComponentRow, MessageBody } from '../../wire/message-calls.ts';
import { CONFIRMED_BEFORE, DESK_REFUSALS, reportedText, tookBackText } from '../notices/desk-texts.ts';
import { failureNotice } from '../notices/failure-notice.ts';
import { keptNotice } from '../notices/kept-notice.ts';
import { COLOURS, messageBody, sentenceReply } from './replies.ts';
import { AI_LABEL, CAPABILITY_NAMES, momentText } from '../texts.ts';
import type { DeskRefused } from '../../../jobs/desk/desk-refused.ts';
import type { JobPage } from '../../../jobs/desk/job-page.ts';
import type { JobView } from '../../../jobs/desk/job-view.ts';
import type { Reported, Shown, TookBack } from '../../../jobs/desk/desk-outcomes.ts';

/**
 * The action of the buttons that turn the pages of a list; in the custom id, it is followed by the list's owner, its
 * kind and the page.
 */
export const PAGE_ACTION = 'jobs';

/** Returns the reply to a refused request about a job. */
export function deskRefusalReply(refusal: DeskRefused): MessageBody {
  return sentenceReply(DESK_REFUSALS[refusal.why]);
}

/** Returns the reply about a cancelled or deleted job. */
export function tookBackReply(done: 'Cancelled' | 'Deleted', tookBack: TookBack): MessageBody {
  return messageBody({ color: COLOURS.done, description: tookBackText(done, tookBack) });
}

/** Returns the reply to a member who confirms a price for the second time. */
export function confirmedBeforeReply(): MessageBody {
  return sentenceReply(CONFIRMED_BEFORE);
}

/** Returns the reply to a report. */
export function reportedReply({ isNew }: Reported): MessageBody {
  return messageBody({ color: COLOURS.done, description: reportedText(isNew) });
}

/** Returns one page of a list of jobs, with buttons that turn the pages. */
export function jobListReply(page: JobPage): MessageBody {
  const { whose, which, jobs } = page;
  const title = `${whose === 'own' ? 'Your' : "This server's"} ${which} jobs`;
  const lines = jobs.map((job) => jobLine(job, whose === 'guild'));
  const empty = which === 'open' ? 'Nothing is running right now.' : 'There is nothing here yet.';
  const embed = {
    color: COLOURS.working,
    title: page.page === 0 ? title : `${title}, page ${page.page + 1}`,
    description: lines.length === 0 ? empty : lines.join('\n'),
    footer: { text: 'Open one with /jobs show' },
  };
  const turn = (to: number, label: string): ReturnType<typeof button> =>
    button('secondary', label, PAGE_ACTION, whose, which, String(to));
  const buttons = [
    ...(page.page > 0 ? [turn(page.page - 1, 'Newer')] : []),
    ...(page.hasMore ? [turn(page.page + 1, 'Older')] : []),
  ];
  return messageBody(embed, '', buttons.length === 0 ? [] : [buttonRow(...buttons)]);
}

/** Shows one job in full, with its result attached or a link to it. */
export function shownReply({ job, file, isSmaller, link }: Shown): MessageBody {
  const filename = file && safeFileName(file.name);
  const isResult = job.outcome === 'succeeded' && job.takenBack === null && job.isKept;
  const body = messageBody(
    {
      color: isResult ? COLOURS.done : job.outcome === null ? COLOURS.working : COLOURS.failed,
      title: `${CAPABILITY_NAMES[job.capability]}: ${stateText(job)}`,
      description: aboutText(job, isResult ? keptNotice({ file, isSmaller, link }) : ''),
      fields: fieldsOf(job),
      ...(filename !== null && file?.mime.startsWith('image/')
        ? { image: { url: `attachment://${filename}` } }
        : {}),
      footer: { text: `${isResult ? `${AI_LABEL} · ` : ''}${cardReference(job.jobId)}` },
    },
    isResult ? `**${AI_LABEL}**` : '',
    isResult ? resultButtons(job.jobId, { file, isSmaller, link }) : otherButtons(job),
  );
  return filename === null ? body : { ...body, attachments: [{ id: '0', filename, description: AI_LABEL }] };
}

/** Returns the buttons for a job that has no result to show. */
function otherButtons(job: JobView): readonly ComponentRow[] {
  if (job.outcome !== null) return failureButtons(job.jobId, job);
  if (job.askedPrice !== null) return priceButtons(job.jobId, { price: job.askedPrice });
  return progressButtons(job.jobId, { stage: job.takenBack === null ? 'at_service' : 'cancelling' });
}

/** Describes a job in one line of plain text, for suggestions: at most 100 characters. */
export function jobLabel(job: JobView, nowMs: number): string {
  return `${CAPABILITY_NAMES[job.capability]}, ${stateText(job)}, ${agoText(nowMs - job.acceptedAtMs)}`;
}

function jobLine(job: JobView, withOwner: boolean): string {
  const parts = [
    `**${CAPABILITY_NAMES[job.capability]}** ${stateText(job)}`,
    ...(withOwner ? [`<@${job.userId}>`] : []),
    ...(job.charged === null ? [] : [formatUsd(job.charged)]),
    momentText(job.acceptedAtMs, 'R'),
    ...(job.message === null ? [] : [`[card](${messageUrl(job.message)})`]),
  ];
  return `• ${parts.join(' · ')}`;
}

function fieldsOf(job: JobView): APIEmbedField[] {
  return [
    { name: 'Asked by', value: `<@${job.userId}>`, inline: true },
    { name: 'Asked', value: momentText(job.acceptedAtMs, 'R'), inline: true },
    { name: 'Cost', value: job.charged === null ? 'Not known yet' : formatUsd(job.charged), inline: true },
    ...(job.message === null ? [] : [{ name: 'Card', value: messageUrl(job.message), inline: false }]),
  ];
}

function aboutText(job: JobView, kept: string): string {
  const lines: string[] = [];
  if (job.undelivered !== null) lines.push('Its card could not be posted in the channel.');
  if (job.failure !== null && job.outcome !== null) {
    const { happened, next } = failureNotice(job.failure, job.capability);
    lines.push(happened, next);
  } else if (job.outcome === 'succeeded' && !job.isKept) lines.push('Its result is not kept any more.');
  return [...lines, kept].filter((line) => line !== '').join('\n');
}

function stateText(job: JobView): string {
  if (job.takenBack !== null) return 'cancelled';
  if (job.askedPrice !== null) return 'waits for a yes to its price';
  switch (job.outcome) {
    case 'succeeded':
      return 'done';
    case 'failed':
      return job.failure?.reason === 'not_confirmed' ? 'not started' : 'failed';
    case 'unknown':
      return 'not confirmed';
    case null:
      return job.stage === 'submitted' ? 'at the service' : 'in progress';
    default:
      return job.outcome satisfies never;
  }
}

/** Returns the link to a message. It works for users who can see the message. */
export function messageUrl(message: NonNullable<JobView['message']>): string {
  return `https://discord.com/channels/${message.guildId}/${message.channelId}/${message.messageId}`;
}

const MINUTE_MS = 60_000;

function agoText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
