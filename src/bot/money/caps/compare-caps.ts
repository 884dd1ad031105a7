import type { CapKey, CapTarget } from './cap.ts';

const KINDS: readonly CapTarget['kind'][] = ['operator', 'guild', 'default', 'role', 'member'];
const PERIODS: readonly CapKey['period'][] = ['day', 'week', 'month', 'total'];

/**
 * Compares caps for display order: the guild's caps before those of roles and members, then caps on all capabilities
 * before caps on a single one, then short periods before long ones. The order does not depend on the database.
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
