import type { APIEmbedField } from 'discord.js';
import { derivedId } from '../../../../base/ids.ts';
import { ZERO, formatUsd } from '../../../../base/money.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type {
  EarlierOverrun,
  FailureCard,
  PriceCard,
  ProgressCard,
  ResultCard,
} from '../../../jobs/cards.ts';
import type { MessageBody, SeenMessage } from '../../wire/message-calls.ts';
import {
  failureButtons,
  overrunButtons,
  priceButtons,
  progressButtons,
  resultButtons,
} from './card-buttons.ts';
import { capabilityName } from '../notices/cap-name.ts';
import { failureNotice } from '../notices/failure-notice.ts';
import { heldBackNotice, keptNotice } from '../notices/kept-notice.ts';
import { COLOURS, messageBody, noticeEmbed } from './replies.ts';
import {
  AI_LABEL,
  CAPABILITY_NAMES,
  NOTHING_CHARGED,
  NOTHING_CHARGED_YET,
  PERIOD_NAMES,
  aboutText,
  durationText,
  momentText,
  stageText,
} from '../texts.ts';
import type { ReplyTarget } from '../../../jobs/reply-target.ts';

/** Returns the nonce by which Discord drops repeated messages: 25 characters, always the same for a job. */
export function cardNonce(jobId: string): string {
  return derivedId('card', jobId).slice(-25);
}

/**
 * Returns the short form of the nonce. It is in the footer of every card, so that the bot and the operator can find a
 * job's message.
 */
export function cardReference(jobId: string): string {
  return `#${cardNonce(jobId).slice(0, 10)}`;
}

/** Returns whether a message is a card of this job. */
export function isCardOf(jobId: string, message: SeenMessage): boolean {
  return message.footer?.endsWith(cardReference(jobId)) ?? false;
}

/**
 * Returns a running job's card, with its owner. Discord renders the card's times, so they stay correct without edits.
 */
export function progressBody(target: ReplyTarget, card: ProgressCard): MessageBody {
  const word = card.stage === 'queued' ? 'Asked' : 'Started';
  const started = `${word} ${momentText(card.acceptedAtMs, 'R')}`;
  const usual = card.typicalMs === null ? '' : `, usually about ${durationText(card.typicalMs)}`;
  const costs = card.price === null ? '' : `\nIt costs ${aboutText(card.price)}.`;
  const embed = {
    color: COLOURS.working,
    title: `${CAPABILITY_NAMES[card.capability]} in progress`,
    description: `${stageText(card)}\n${started}${usual}.${costs}`,
    footer: { text: cardReference(target.jobId) },
  };
  return messageBody(embed, `For <@${target.userId}>`, progressButtons(target.jobId, card));
}

/**
 * Returns the card that asks for confirmation of a price: the price and its basis, the amount to hold, the budget
 * left after that, and the buttons.
 */
export function priceBody(target: ReplyTarget, card: PriceCard): MessageBody {
  if (card.overrun) return overrunBody(target, card, card.overrun);
  const { capability, price, held, lengths, budget, endsAtMs } = card;
  const from = lengths.map(({ of, durationMs }) => `${of} ${durationText(durationMs)}`).join(', ');
  const fields = [
    ...(from === '' ? [] : [{ name: 'Length', value: from, inline: true }]),
    { name: 'Price', value: aboutText(price), inline: true },
    { name: 'Set aside until it is done', value: formatUsd(held), inline: true },
    {
      name: `Left ${PERIOD_NAMES[budget.period].current} after that`,
      value: `${formatUsd(budget.left)} of ${formatUsd(budget.limit)}`,
      inline: true,
    },
  ];
  const embed = {
    color: COLOURS.refused,
    title: `${CAPABILITY_NAMES[capability]}: go on for ${aboutText(price)}?`,
    description:
      'This server wants you to see what costs this much before it starts. What it really costs is charged when it ' +
      `is done; the rest of what is set aside comes back.\nWithout a yes it ends ${momentText(endsAtMs, 'R')}. ${NOTHING_CHARGED_YET}`,
    fields,
    footer: { text: cardReference(target.jobId) },
  };
  return messageBody(embed, `For <@${target.userId}>`, priceButtons(target.jobId, card));
}

/** Explains why a job waits for a budget manager or the operator, and what they have to do. */
function overrunBody(
  target: ReplyTarget,
  { capability, price, endsAtMs }: PriceCard,
  { capability: of, charged, held }: EarlierOverrun,
): MessageBody {
  const embed = {
    color: COLOURS.refused,
    title: `${CAPABILITY_NAMES[capability]} waits for a review of an earlier charge`,
    description:
      `An earlier ${capabilityName(of)} of <@${target.userId}> was charged **${formatUsd(charged)}**, while only ` +
      `**${formatUsd(held)}** was set aside for it. Before a new job starts, an admin of this server, somebody who ` +
      'manages its budget, or the operator of the bot must review that charge (see `/spend overruns`) and press ' +
      `the button below.\nThis job should cost ${aboutText(price)}. Without a review it ends ${momentText(endsAtMs, 'R')}. ` +
      NOTHING_CHARGED_YET,
    footer: { text: cardReference(target.jobId) },
  };
  return messageBody(embed, `For <@${target.userId}>`, overrunButtons(target.jobId, target.userId));
}

/** Returns a result's card: its file or a link to it, its owner, its cost, and the budget left. */
export function resultBody(target: ReplyTarget, card: ResultCard): MessageBody {
  const filename = card.file && safeFileName(card.file.name);
  const about = [keptNotice(card), overrunText(target, card)].filter((text) => text !== '').join('\n');
  const body = messageBody(
    {
      color: COLOURS.done,
      title: CAPABILITY_NAMES[card.capability],
      ...(about === '' ? {} : { description: about }),
      fields: [{ name: 'Cost', value: costText(card.charged), inline: true }, ...budgetFields(card.budget)],
      // Only pictures can be inside an embed; Discord shows other files below it.
      ...(filename !== null && card.file?.mime.startsWith('image/')
        ? { image: { url: `attachment://${filename}` } }
        : {}),
      footer: { text: `${AI_LABEL} · took ${durationText(card.tookMs)} · ${cardReference(target.jobId)}` },
    },
    `**${AI_LABEL}**, made for <@${target.userId}>`,
    resultButtons(target.jobId, card),
  );
  return filename === null ? body : { ...body, attachments: [{ id: '0', filename, description: AI_LABEL }] };
}

/** Returns a failed job's card: what happened, what to do, and the cost. */
export function failureBody(target: ReplyTarget, card: FailureCard): MessageBody {
  const charge = [chargeText(card.charged), overrunText(target, card)]
    .filter((text) => text !== '')
    .join(' ');
  const name = CAPABILITY_NAMES[card.capability];
  const embed = noticeEmbed(failureNotice(card.failure, card.capability), name, COLOURS.failed, charge);
  return messageBody(
    { ...embed, footer: { text: cardReference(target.jobId) } },
    `For <@${target.userId}>`,
    failureButtons(target.jobId, card),
  );
}

/** Returns the card that replaces a result rejected by a filter in Discord. */
export function heldBackBody(target: ReplyTarget, card: ResultCard): MessageBody {
  const charge = `Cost: ${costText(card.charged)} ${overrunText(target, card)}`.trimEnd();
  const embed = noticeEmbed(heldBackNotice(), CAPABILITY_NAMES[card.capability], COLOURS.refused, charge);
  return messageBody({ ...embed, footer: { text: cardReference(target.jobId) } }, `For <@${target.userId}>`);
}

/** Returns a file name that is safe in a message and that Discord does not change. */
export function safeFileName(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-60);
  return safe === '' ? 'result' : safe;
}

function budgetFields(budget: BudgetView): APIEmbedField[] {
  const left = {
    name: `Left ${PERIOD_NAMES[budget.period].current}`,
    value: `${formatUsd(budget.left)} of ${formatUsd(budget.limit)}`,
    inline: true,
  };
  if (budget.limit === ZERO) return [left];
  return [
    left,
    {
      name: 'Resets',
      value: budget.resetsAtMs === null ? 'Never' : momentText(budget.resetsAtMs, 'R'),
      inline: true,
    },
  ];
}

function costText(charged: ResultCard['charged']): string {
  return charged === null ? 'Not known yet' : formatUsd(charged);
}

/** Explains that more was charged than was held, and the consequences; empty if no more was charged. */
function overrunText(
  { userId }: ReplyTarget,
  { charged, held, startsReview }: Pick<ResultCard, 'charged' | 'held' | 'startsReview'>,
): string {
  if (charged === null || charged <= held) return '';
  const review = startsReview
    ? ` New jobs of <@${userId}> in this server wait until an admin or somebody who manages its budget has reviewed this charge (\`/spend overruns\`).`
    : '';
  return `**${formatUsd(held)}** was set aside for this, and the service charged **${formatUsd(charged)}**. The budget counts what was charged.${review}`;
}

function chargeText(charged: FailureCard['charged']): string {
  if (charged === null) return '';
  return charged === ZERO ? NOTHING_CHARGED : `This cost ${formatUsd(charged)}.`;
}
