import type { APIEmbed } from 'discord.js';
import type { Refusal } from '../../../jobs/intake/refusals.ts';
import type { FormProblem } from '../forms/form-problem.ts';
import type { ComponentRow, MessageBody } from '../../wire/message-calls.ts';
import { formNotice } from '../notices/form.ts';
import { apologyNotice } from '../notices/job.ts';
import type { Notice } from '../notices/notice.ts';
import { refusalNotice } from '../notices/refusal.ts';
import { CAPABILITY_NAMES, type Capability, NOTHING_CHARGED } from '../texts.ts';

/** The colour of a card's edge tells its state. */
export const COLOURS = { working: 0x5865f2, done: 0x3ba55d, failed: 0xed4245, refused: 0xfaa61a } as const;

/** A message of one embed without a file; nothing in it can notify anybody. */
export function messageBody(
  embed: APIEmbed,
  content = '',
  components: readonly ComponentRow[] = [],
): MessageBody {
  return { content, embeds: [embed], attachments: [], components, allowed_mentions: { parse: [] } };
}

/** A command that was not taken on: why, and what to do next. */
export function refusalReply(capability: Capability, refusal: Refusal): MessageBody {
  return messageBody(
    noticeEmbed(refusalNotice(refusal), CAPABILITY_NAMES[capability], COLOURS.refused, NOTHING_CHARGED),
  );
}

/** A command whose options do not make a job: why, and what to do next. */
export function formReply(capability: Capability, problem: FormProblem): MessageBody {
  const about = CAPABILITY_NAMES[capability];
  return messageBody(noticeEmbed(formNotice(problem), about, COLOURS.refused, NOTHING_CHARGED));
}

/** The answer to an unforeseen error, which the log holds under `reference`. */
export function apologyReply(reference: string): MessageBody {
  return messageBody(noticeEmbed(apologyNotice(reference), '', COLOURS.failed));
}

/** A single sentence, such as the `userMessage` of an expected error. */
export function sentenceReply(sentence: string): MessageBody {
  return messageBody({ color: COLOURS.refused, description: sentence });
}

/** Something was done, or found: what, and what follows from it. */
export function doneReply(title: string, description: string): CommandReply {
  return { kind: 'reply', reply: messageBody({ color: COLOURS.done, title, description }) };
}

interface CommandReply {
  readonly kind: 'reply';
  readonly reply: MessageBody;
}

/** An embed for `notice`; `about` names the command, `charge` says what it cost. */
export function noticeEmbed(notice: Notice, about: string, color: number, charge = ''): APIEmbed {
  const lines = [notice.happened, notice.next, charge].filter((line) => line !== '');
  return {
    color,
    title: about === '' ? notice.title : `${about}: ${lowerFirst(notice.title)}`,
    description: lines.join('\n'),
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
