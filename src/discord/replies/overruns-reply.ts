import { formatUsd } from '../../base/money.ts';
import type { Overrun, OverrunCause, OverrunsShown, WatchedCharge } from '../../ledger/overrun-ports.ts';
import { capabilityName, memberText } from '../notices/caps.ts';
import { momentText } from './texts.ts';

const CAUSES: Readonly<Record<OverrunCause, string>> = {
  session: 'the session ran on for longer than was held for',
  script: 'the script took longer to speak than was reckoned',
  length: 'the result was longer than its files, or its price changed',
  price: 'the price of the service changed',
  unpriced: 'the service had not told its price',
  unknown: 'the cause is not known',
};

/** A charge above its hold in a line: both figures, and why as far as is known. */
export function overrunLine(overrun: Overrun): string {
  return `- ${chargeText(overrun)}: ${CAUSES[overrun.cause]}`;
}

/** A member whose new jobs wait, in a line. */
export function waitingLine(charge: WatchedCharge): string {
  return `- ${chargeText(charge)}`;
}

function chargeText({ atMs, userId, capability, charged, held }: WatchedCharge): string {
  return `${momentText(atMs, 'R')} ${memberText(userId)}, ${capabilityName(capability)}: **${formatUsd(charged)}** charged, ${formatUsd(held)} was set aside`;
}

/** A server's overruns for those who manage its budget: first what somebody has to look at. */
export function overrunsText({ overruns, hasMore, waiting }: OverrunsShown): string {
  const lookedAt =
    waiting.length === 0
      ? []
      : [
          '**New jobs of these members wait until you have looked:**',
          ...waiting.map(waitingLine),
          'If that was all right, let them go on with `/spend overruns release:` and the member, or `gone:` if they deleted their data.',
          '',
        ];
  if (overruns.length === 0) {
    return [...lookedAt, 'Nothing here was charged more than what was set aside for it.'].join('\n');
  }
  return [
    ...lookedAt,
    'The budget counts what was charged, not what was set aside.',
    ...overruns.map(overrunLine),
    ...(hasMore ? ['Older ones are in `/spend export`, in the column `above_hold_usd`.'] : []),
  ].join('\n');
}
