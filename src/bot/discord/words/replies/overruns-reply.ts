import { formatUsd } from '../../../../base/money.ts';
import { capabilityName, memberText } from '../notices/cap-name.ts';
import { momentText } from '../texts.ts';
import type { Overrun, OverrunsShown, WatchedCharge } from '../../../money/overruns/overrun.ts';
import type { OverrunCause } from '../../../money/overruns/overrun-cause.ts';

const CAUSES: Readonly<Record<OverrunCause, string>> = {
  session: 'the session lasted longer than the time set aside for it',
  script: 'the script took longer to speak than estimated',
  length: 'the result was longer than its files, or the price changed',
  price: 'the service changed its price',
  unpriced: 'the price of the service was not known',
  unknown: 'the cause is not known',
};

/** Returns one line about a charge above its hold: both amounts, and the cause. */
export function overrunLine(overrun: Overrun): string {
  return `- ${chargeText(overrun)}: ${CAUSES[overrun.cause]}`;
}

/** Returns one line about a charge that must be reviewed before the member's new jobs can start. */
export function waitingLine(charge: WatchedCharge): string {
  return `- ${chargeText(charge)}`;
}

function chargeText({ atMs, userId, capability, charged, held }: WatchedCharge): string {
  return `${momentText(atMs, 'R')} ${memberText(userId)}, ${capabilityName(capability)}: **${formatUsd(charged)}** charged, ${formatUsd(held)} was set aside`;
}

/** Lists a server's overruns for its budget managers. The charges that they still have to review come first. */
export function overrunsText({ overruns, hasMore, waiting }: OverrunsShown): string {
  const lookedAt =
    waiting.length === 0
      ? []
      : [
          '**New jobs of these members wait for your review:**',
          ...waiting.map(waitingLine),
          'If a charge is fine, release its member with `/spend overruns release:`, or `gone:` if they deleted their data.',
          '',
        ];
  if (overruns.length === 0) {
    return [...lookedAt, 'No charge in this server was above the amount that was set aside for it.'].join(
      '\n',
    );
  }
  return [
    ...lookedAt,
    'The budget counts the amount that was charged, not the amount that was set aside.',
    ...overruns.map(overrunLine),
    ...(hasMore ? ['Older ones are in `/spend export`, in the column `above_hold_usd`.'] : []),
  ].join('\n');
}
