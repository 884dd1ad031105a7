import { ZERO, addMicros, formatUsd } from '../../src/base/money.ts';
import { operatorAlertNotice } from '../../src/bot/discord/words/notices/alert-notices.ts';
import {
  capName,
  capStand,
  capabilityName,
  upperFirst,
} from '../../src/bot/discord/words/notices/cap-name.ts';
import { plainText, quotedText } from '../../src/bot/discord/words/plain-text.ts';
import { durationText, momentText } from '../../src/bot/discord/words/texts.ts';
import type { WatchedCharge } from '../../src/bot/money/overruns/overrun.ts';
import type { GuildFigures, GuildLine } from '../../src/bot/people/operator/guild-figures.ts';
import type { HoldLine, SuggestedRecord } from '../../src/bot/people/operator/hold-line.ts';
import type { HoldSums, OperatorStatus } from '../../src/bot/people/operator/operator-status.ts';

/**
 * The maximum number of caps shown for each guild. It keeps a page of ten guilds within Discord's limit of 4,096
 * characters.
 */
const CAPS_SHOWN_MAX = 4;
const NAME_LENGTH_MAX = 40;
/** The maximum number of records shown for each hold. `/operator assign` suggests all of them. */
const RECORDS_SHOWN_MAX = 2;

/** Formats the status of the bot. It names no member, because only a server's own admins may see who spends there. */
export function statusText(status: OperatorStatus): string {
  const { account, pending, review, spent, guildCount, top } = status;
  return [
    ...status.alerts.map((alert) => `⚠️ **${operatorAlertNotice(alert).title}**`),
    ...pauseLines(status),
    `- **Balance at the service**: ${account === null ? 'not known yet' : `${formatUsd(account.balance)}, as of ${momentText(account.asOfMs, 'R')}`}`,
    `- **Charged this month (UTC)**: ${formatUsd(spent)} in ${guildCount} ${guildCount === 1 ? 'server' : 'servers'}`,
    `- **Set aside now**: ${formatUsd(addMicros(pending.amount, review.amount))}`,
    `- **Under way**: ${sumsText(pending)}`,
    `- **In review**: ${sumsText(review)}${review.count === 0 ? '' : '. See `/operator holds`'}`,
    ...(status.records === 0
      ? []
      : [`- **Usage records to decide**: ${status.records}. Use \`/operator assign\``]),
    `- **Books and service**: ${comparisonText(status)}`,
    `- **Most charged this month**: ${top.length === 0 ? 'nobody yet' : ''}`,
    ...top.map((one, index) => `  ${index + 1}. ${guildName(one)}: ${formatUsd(one.spent)}`),
  ].join('\n');
}

function comparisonText({ comparison }: OperatorStatus): string {
  if (comparison === null) return 'not compared yet';
  const { madeAtMs, isComplete, foreign, drift } = comparison;
  const gaps = isComplete ? '' : ', with gaps in the usage log of the service';
  const others = foreign === ZERO ? '' : `, ${formatUsd(foreign)} used by others of this account`;
  const agrees = drift === ZERO ? 'they agree' : `${formatUsd(drift)} that nothing explains`;
  return `${agrees}${others}, compared ${momentText(madeAtMs, 'R')}${gaps}`;
}

function pauseLines({ isPaused, pausedGuilds }: OperatorStatus): readonly string[] {
  return [
    ...(isPaused ? ['⏸️ **Everything is paused.** `/operator resume` ends that.'] : []),
    ...(pausedGuilds === 0
      ? []
      : [`⏸️ **${pausedGuilds} ${pausedGuilds === 1 ? 'server is' : 'servers are'} paused.**`]),
  ];
}

function sumsText({ count, amount, oldestAtMs }: HoldSums): string {
  if (count === 0) return 'none';
  const oldest = oldestAtMs === null ? '' : `, the oldest ${momentText(oldestAtMs, 'R')}`;
  return `${count} ${count === 1 ? 'hold' : 'holds'} of ${formatUsd(amount)}${oldest}`;
}

/** Formats a guild with its limits and the amounts charged and set aside. */
export function guildLineText(line: GuildLine): string {
  const held = line.held === ZERO ? '' : `, ${formatUsd(line.held)} set aside`;
  return [
    `**${guildName(line)}**${line.isPaused ? ' ⏸️ paused' : ''}: ${formatUsd(line.spent)} charged this month (UTC)${held}`,
    ...line.caps
      .slice(0, CAPS_SHOWN_MAX)
      .map(
        (cap) => `  - ${upperFirst(capName(cap, 'server').replace(/^this server's /, ''))}: ${capStand(cap)}`,
      ),
  ].join('\n');
}

export function holdLineText(line: HoldLine): string {
  const { amount, capability, state, heldAtMs, guildId, guildName: name, subject } = line;
  return [
    `- **${formatUsd(amount)}** ${capabilityName(capability)}, ${state === 'review' ? '**in review**' : 'under way'}, ${momentText(heldAtMs, 'R')}, ${guildName({ guildId, name })} \`${plainText(subject, NAME_LENGTH_MAX)}\``,
    ...line.records.slice(0, RECORDS_SHOWN_MAX).map(recordText),
  ].join('\n');
}

function recordText({ id, charged, recordedAtMs }: SuggestedRecord): string {
  return `  - maybe ${formatUsd(charged)}, ${momentText(recordedAtMs, 'R')}: record \`${plainText(id, NAME_LENGTH_MAX)}\``;
}

/** Labels a usage record for a suggestion. */
export function recordLabel({ id, charged, recordedAtMs }: SuggestedRecord, nowMs: number): string {
  const age = durationText(Math.max(0, nowMs - recordedAtMs));
  return `${formatUsd(charged)}, ${age} ago, record ${plainText(id, NAME_LENGTH_MAX)}`;
}

/** Labels a guild for a suggestion. */
export function guildLabel({ guildId, name }: Pick<GuildFigures, 'guildId' | 'name'>): string {
  return name === null ? guildId : `${plainText(name, NAME_LENGTH_MAX)} (${guildId})`;
}

/** Labels a hold for a suggestion. */
export function holdLabel(hold: HoldLine, nowMs: number): string {
  const { guildId, guildName: name, amount, capability, heldAtMs } = hold;
  const age = durationText(Math.max(0, nowMs - heldAtMs));
  return `${formatUsd(amount)} ${capabilityName(capability)}, ${age} ago, ${guildLabel({ guildId, name })}`;
}

/** Labels a member in a suggestion. The member has jobs that are waiting for a charge to be reviewed. */
export function watchedLabel({ userId, guildId, capability, charged, held }: WatchedCharge): string {
  return `${userId} in ${guildId}: ${formatUsd(charged)} charged, ${formatUsd(held)} set aside, ${capabilityName(capability)}`;
}

function guildName({ guildId, name }: Pick<GuildFigures, 'guildId' | 'name'>): string {
  return name === null ? `\`${guildId}\`` : `${quotedText(name, NAME_LENGTH_MAX)} (\`${guildId}\`)`;
}
