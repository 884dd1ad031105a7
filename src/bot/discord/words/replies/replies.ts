import type { APIEmbed } from 'discord.js';
import type { Refusal } from '../../../jobs/intake/refusals.ts';
import type { FormProblem } from '../forms/form-problem.ts';
import type { ComponentRow, MessageBody } from '../../wire/message-calls.ts';
import { formNotice } from '../notices/form-notice.ts';
import { apologyNotice } from '../notices/failure-notice.ts';
import type { Notice } from '../notices/notice.ts';
import { refusalNotice } from '../notices/refusal-notice.ts';
import { CAPABILITY_NAMES, type Capability, NOTHING_CHARGED } from '../texts.ts';

/** The colour of a card's edge, by its state. */
export const COLOURS = { working: 0x5865f2, done: 0x3ba55d, failed: 0xed4245, refused: 0xfaa61a } as const;

/** Returns a message with one embed and no file. Its mentions notify nobody. */
export function messageBody(
  embed: APIEmbed,
  content = '',
  components: readonly ComponentRow[] = [],
): MessageBody {
  return { content, embeds: [embed], attachments: [], components, allowed_mentions: { parse: [] } };
}

/** Explains why a command was not accepted, and what to do next. */
export function refusalReply(capability: Capability, refusal: Refusal): MessageBody {
  return messageBody(
    noticeEmbed(refusalNotice(refusal), CAPABILITY_NAMES[capability], COLOURS.refused, NOTHING_CHARGED),
  );
}

/** Explains why no job can be created from a command's options, and what to do next. */
export function formReply(capability: Capability, problem: FormProblem): MessageBody {
  const about = CAPABILITY_NAMES[capability];
  return messageBody(noticeEmbed(formNotice(problem), about, COLOURS.refused, NOTHING_CHARGED));
}

/** Returns the reply to an unexpected error, which is logged under `reference`. */
export function apologyReply(reference: string): MessageBody {
  return messageBody(noticeEmbed(apologyNotice(reference), '', COLOURS.failed));
}

/** Returns a message with a single sentence, such as the `userMessage` of an expected error. */
export function sentenceReply(sentence: string): MessageBody {
  return messageBody({ color: COLOURS.refused, description: sentence });
}

/** Returns the reply that reports what was done or found, and the consequences. */
export function doneReply(title: string, description: string): CommandReply {
  return { kind: 'reply', reply: messageBody({ color: COLOURS.done, title, description }) };
}

interface CommandReply {
  readonly kind: 'reply';
  readonly reply: MessageBody;
}

/** Returns an embed for `notice`; `about` names the command, and `charge` states the cost. */
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
