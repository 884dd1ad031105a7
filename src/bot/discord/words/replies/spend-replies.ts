import type { RawFile } from 'discord.js';
import { ZERO, aboutMicros, formatUsd } from '../../../../base/money.ts';
import type { CapView } from '../../../money/caps/cap.ts';
import type { SpendReport } from '../../../money/spend/spend-report.ts';
import type { CommandResult } from '../../command.ts';
import { capName, capStand, capTitle, resetText, upperFirst } from '../notices/cap-name.ts';
import { COLOURS, messageBody } from './replies.ts';
import { spendTable } from './spend-table.ts';
import { SPEND_PERIODS, spentOnName } from './spend-words.ts';
import { COUNTS_FROM_BEFORE, momentText } from '../texts.ts';
import type { SpendExport } from '../../../money/spend/write-export.ts';

const CAPS_MAX = 8;
const ALT_TEXT_MAX = 1_000;
const CHART_NAME = 'spending.png';

/** Shows the spending: the chart if there is one, and its figures as text. */
export function spendReply(
  report: SpendReport,
  chart: Uint8Array | null,
  { viewerId, withMembers }: { readonly viewerId: string; readonly withMembers: boolean },
): CommandResult {
  const embed = {
    color: COLOURS.working,
    title: `Spending ${SPEND_PERIODS[report.period].during}`,
    description: [
      subjectText(report),
      spendTable(report),
      ...notesOf(report, report.userId === viewerId ? 'member' : 'server'),
      ...(withMembers && report.countsFromBefore && report.userId === viewerId ? [COUNTS_FROM_BEFORE] : []),
      ...(withMembers ? membersOf(report) : []),
      ...(chart === null
        ? ['The chart could not be drawn this time. Send the command again to try once more.']
        : []),
    ]
      .filter((part) => part !== '')
      .join('\n'),
    footer: { text: `By the calendar of ${report.timeZone}` },
  };
  if (chart === null) return { kind: 'reply', reply: messageBody(embed) };
  const file: RawFile = { name: CHART_NAME, data: Buffer.from(chart), contentType: 'image/png' };
  const attachments = [{ id: '0', filename: CHART_NAME, description: altText(report) }];
  const body = messageBody({ ...embed, image: { url: `attachment://${CHART_NAME}` } });
  return { kind: 'reply', reply: { ...body, attachments }, files: [file] };
}

/** Returns an export of the spending as a file. */
export function exportReply(exported: SpendExport): CommandResult {
  const { csv, rows, isCut, startsAtMs, endsAtMs, timeZone, userId } = exported;
  const day = new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', { timeZone, dateStyle: 'short' });
  const name = `spending-${day.format(startsAtMs)}-to-${day.format(endsAtMs - 1)}.csv`;
  const file: RawFile = { name, data: Buffer.from(csv), contentType: 'text/csv' };
  const embed = {
    color: COLOURS.done,
    title: 'Spending, line by line',
    description: [
      `**${rows.toLocaleString('en-US')}** ${rows === 1 ? 'line' : 'lines'}, one for each job or live session of ${userId === null ? 'this server' : `<@${userId}>`}. Dates and times are those of ${timeZone}.`,
      ...(isCut
        ? [
            '**There are more than fit into a file: the newest are missing.** Export a shorter period to get them.',
          ]
        : []),
      'Members are written as mentions: pasted into Discord, they show who it was.',
    ].join('\n'),
  };
  const attachments = [{ id: '0', filename: name, description: 'What was spent, as a table (CSV)' }];
  return { kind: 'reply', reply: { ...messageBody(embed), attachments }, files: [file] };
}

/** Describes the chart for members who cannot see it. */
function altText(report: SpendReport): string {
  const { capabilities, caps, forecast, step, period } = report;
  const parts = capabilities
    .filter(isSomething)
    .map((sum) => `${spentOnName(sum.capability)} ${sumText(sum)}`);
  const [cap] = caps;
  const text = [
    `Bar chart of what was charged per ${step} ${SPEND_PERIODS[period].during}: ${sumText(report.total)} in all.`,
    ...(parts.length === 0 ? [] : [`${parts.join(', ')}.`]),
    ...(cap ? [`${upperFirst(capTitle(cap))}: ${formatUsd(cap.limit)}.`] : []),
    ...(forecast === null ? [] : [`Forecast: about ${formatUsd(aboutMicros(forecast))} by the end.`]),
  ].join(' ');
  return text.length <= ALT_TEXT_MAX ? text : `${text.slice(0, ALT_TEXT_MAX - 1)}…`;
}

function subjectText({ userId, capability, capabilities }: SpendReport): string {
  const what = capability === null ? '' : ` on **${spentOnName(capability)}**`;
  const who = userId === null ? 'Everybody here' : memberText(userId);
  const nothing = !capabilities.some(isSomething);
  return nothing ? `Nothing was charged${what}${userId === null ? '' : ` by ${who}`}.` : `${who}${what}:`;
}

function notesOf(report: SpendReport, to: 'member' | 'server'): readonly string[] {
  const { total, caps } = report;
  const isOver = report.period.startsWith('last_');
  const asides =
    total.pending === 0
      ? []
      : [
          `**${formatUsd(total.pending)}** more is set aside for running jobs. It is not charged yet; any part that is not charged is given back.`,
        ];
  const overruns =
    total.overrun === 0
      ? []
      : [
          `**${formatUsd(total.overrun)}** was charged above the amounts set aside: the service charged more than expected. \`/spend overruns\` shows why.`,
        ];
  const stands = isOver
    ? []
    : caps.slice(0, CAPS_MAX).map((cap) => `- ${upperFirst(capName(cap, to))}: ${standText(cap)}`);
  const more =
    caps.length > CAPS_MAX && !isOver ? [`- and ${caps.length - CAPS_MAX} more: see \`/budget show\``] : [];
  return [...asides, ...overruns, ...forecastNotes(report), ...stands, ...more];
}

/** Returns the amount left and when the cap resets. A budget of zero stays zero after it resets. */
function standText(cap: CapView): string {
  return cap.limit === ZERO ? `**${formatUsd(ZERO)}**.` : `${capStand(cap)}. ${resetText(cap)}`;
}

/** Describes the forecast, which extrapolates the spending so far, or states that it is too early for one. */
function forecastNotes(report: SpendReport): readonly string[] {
  const { forecast, endsAtMs, usedUpAtMs, period, total } = report;
  const isOpen = period === 'day' || period === 'week' || period === 'month';
  if (!isOpen || total.posted === 0) return [];
  if (forecast === null)
    return ['It is too early to say what it will come to: a tenth of the time must be over.'];
  const forecastLine = `If it goes on like that, about **${formatUsd(aboutMicros(forecast))}** will be charged by ${momentText(endsAtMs, 'F')}.`;
  return usedUpAtMs === null
    ? [forecastLine]
    : [forecastLine, `At that pace, nothing is left of the budget about ${momentText(usedUpAtMs, 'R')}.`];
}

function membersOf({ topMembers }: SpendReport): readonly string[] {
  if (topMembers.length === 0) return [];
  const lines = topMembers.map((sum) => `- ${memberText(sum.userId)}: ${boldSumText(sum)}`);
  return ['', '**Most was charged for**', ...lines];
}

function memberText(userId: string): string {
  return /^\d+$/.test(userId) ? `<@${userId}>` : 'a member who deleted their data';
}

/** The amount charged and the amount set aside, as two separate figures. */
function sumText({ posted, pending }: Pick<SpendReport['total'], 'posted' | 'pending'>): string {
  if (pending === ZERO) return formatUsd(posted);
  return `${formatUsd(posted)} charged and ${formatUsd(pending)} set aside`;
}

function boldSumText({ posted, pending }: Pick<SpendReport['total'], 'posted' | 'pending'>): string {
  const aside = pending === ZERO ? '' : ` charged, ${formatUsd(pending)} set aside`;
  return `**${formatUsd(posted)}**${aside}`;
}

function isSomething({ posted, pending }: Pick<SpendReport['total'], 'posted' | 'pending'>): boolean {
  return posted > ZERO || pending > ZERO;
}
