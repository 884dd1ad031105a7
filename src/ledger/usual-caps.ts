import type { CapPeriod } from '../../db/schema.ts';
import type { MicroUsd } from '../base/money.ts';
import type { Cap } from './cap.ts';

/** So much in each period. */
export interface Amount {
  readonly limit: MicroUsd;
  readonly period: CapPeriod;
}

/** What the operator decides for guilds of which nothing else is said. */
export interface UsualCaps {
  /** Counts while a guild has no budget of its own for everything together. */
  readonly budget: Amount;
  /** What the admins of a guild cannot go above; null: nothing keeps them. */
  readonly allowance: Amount | null;
}

/** The caps that count in a guild which has `caps`: those, and the usual ones that they leave in force. */
export function withUsualCaps(caps: readonly Cap[], { budget, allowance }: UsualCaps): readonly Cap[] {
  const hasOwn = caps.some(({ target, capability }) => target.kind === 'guild' && capability === null);
  const isAllowed = caps.some(({ target }) => target.kind === 'operator');
  return [
    ...(isAllowed || allowance === null
      ? []
      : [{ target: { kind: 'operator' }, capability: null, ...allowance } as const]),
    ...caps,
    ...(hasOwn ? [] : [{ target: { kind: 'default' }, capability: null, ...budget } as const]),
  ];
}
