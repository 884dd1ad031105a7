import type { CapRowKey } from '../../../../db/queries/caps.ts';
import type { CapRow } from '../../../../db/schema/caps.ts';
import type { Cap, CapKey, CapTarget } from './cap.ts';

/** Converts a stored row into a cap. */
export function capOf(row: CapRow): Cap {
  return { ...keyOf(row), limit: row.limit_micros };
}

/** Returns the key of the cap that a row describes. */
export function keyOf(row: Omit<CapRowKey, 'guild_id'>): CapKey {
  return {
    target: targetOf(row.target_kind, row.target_id),
    capability: row.capability === '' ? null : row.capability,
    period: row.period,
  };
}

/** Returns the key under which a cap is stored. Default caps come from the configuration and are never stored. */
export function rowKeyOf(
  guildId: string,
  { target, capability, period }: CapKey & { readonly target: Exclude<CapTarget, { kind: 'default' }> },
): CapRowKey {
  return {
    guild_id: guildId,
    target_kind: target.kind,
    target_id: targetIdOf(target),
    capability: capability ?? '',
    period,
  };
}

/** Whether two rows of the same guild describe the same cap. */
export function isSameCap(a: CapRowKey, b: CapRowKey): boolean {
  return (
    a.target_kind === b.target_kind &&
    a.target_id === b.target_id &&
    a.capability === b.capability &&
    a.period === b.period
  );
}

/** Returns the id of the role or member that a cap limits; empty for other targets. */
export function targetIdOf(target: CapTarget): string {
  if (target.kind === 'role') return target.roleId;
  return target.kind === 'member' ? target.userId : '';
}

/** Returns the target that a stored row names. */
export function targetOf(kind: CapTarget['kind'], id: string): CapTarget {
  switch (kind) {
    case 'role':
      return { kind, roleId: id };
    case 'member':
      return { kind, userId: id };
    case 'default':
    case 'operator':
    case 'guild':
      return { kind };
    default:
      return kind satisfies never;
  }
}
