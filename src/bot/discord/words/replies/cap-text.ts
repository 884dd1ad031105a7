import { ZERO, formatUsd } from '../../../../base/money.ts';
import type { CapView, ListedCap } from '../../../money/caps/cap.ts';
import { capName, capUsed, upperFirst } from '../notices/cap-name.ts';
import { momentText } from '../texts.ts';

const BAR_LENGTH = 12;

const NOTHING: Readonly<Record<CapView['target']['kind'], string>> = {
  default: 'nothing is spent until an admin sets a budget with `/budget set`',
  operator: 'whoever runs this bot has not let this server spend anything',
  guild: 'nothing may be spent',
  role: 'nothing may be spent',
  member: 'nothing may be spent',
};

/** Describes the state of a cap in three short lines; `to` is the reader, as in `capName`. */
export function capText(view: CapView, to: 'member' | 'server' = 'member'): string {
  const { limit, left, posted, pending } = view;
  const usual = view.target.kind === 'default' ? ' (the usual one)' : '';
  const title = `**${upperFirst(capName(view, to))}**${usual}`;
  if (limit === ZERO) return `${title}\n**${formatUsd(ZERO)}**: ${NOTHING[view.target.kind]}`;
  const used = [
    `${formatUsd(posted)} charged`,
    ...(pending === ZERO ? [] : [`${formatUsd(pending)} set aside`]),
  ];
  return [
    title,
    `${barText(view)} · **${formatUsd(left)}** of **${formatUsd(limit)}** left`,
    [...used, resetsText(view.resetsAtMs)].join(' · '),
  ].join('\n');
}

/** Describes a cap in a list. A cap without a `view` limits each member with a role individually. */
export function listedCapText({ cap, view, resetsAtMs }: ListedCap): string {
  if (view !== null) return capText(view, 'server');
  const title = `**${upperFirst(capName(cap, 'server'))}**`;
  const resets = cap.limit === ZERO ? '' : ` · ${resetsText(resetsAtMs)}`;
  return `${title}\n**${formatUsd(cap.limit)}** for each of them${resets}`;
}

/** Returns a bar such as "`██████░░░░░░` 52%". It is rounded down, but any use shows at least one full segment. */
export function barText(view: Pick<CapView, 'limit' | 'posted' | 'pending'>): string {
  const used = capUsed(view);
  // The number of full segments and the percentage, both rounded down.
  const share = Number((BigInt(used) * BigInt(BAR_LENGTH)) / BigInt(view.limit));
  const percent = Number((BigInt(used) * 100n) / BigInt(view.limit));
  const full = used > ZERO ? Math.min(Math.max(share, 1), BAR_LENGTH) : 0;
  return `\`${'█'.repeat(full)}${'░'.repeat(BAR_LENGTH - full)}\` ${percent}%`;
}

function resetsText(resetsAtMs: number | null): string {
  return resetsAtMs === null ? 'never resets' : `resets ${momentText(resetsAtMs, 'R')}`;
}
