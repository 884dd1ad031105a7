import type { CapKey, CapTarget } from './cap.ts';

const KINDS: readonly CapTarget['kind'][] = ['operator', 'guild', 'default', 'role', 'member'];
const PERIODS: readonly CapKey['period'][] = ['day', 'week', 'month', 'total'];

/**
 * Compares caps for the order in which they are shown: caps of the guild before those of roles and members, then caps
 * on everything before caps on one capability, then short periods before long ones. The order is the same on both
 * databases.
 */
export function compareCaps(a: CapKey, b: CapKey): number {
  return (
    KINDS.indexOf(a.target.kind) - KINDS.indexOf(b.target.kind) ||
    compareTexts(idOf(a.target), idOf(b.target)) ||
    compareTexts(a.capability ?? '', b.capability ?? '') ||
    PERIODS.indexOf(a.period) - PERIODS.indexOf(b.period)
  );
}

function idOf(target: CapTarget): string {
  if (target.kind === 'role') return target.roleId;
  return target.kind === 'member' ? target.userId : '';
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
