import fc from 'fast-check';
import type { CapPeriod } from '../../../../db/schema/caps.ts';

export const USERS = ['ada', 'ben', 'eve'] as const;
export const ROLES = ['artists', 'guests'] as const;
export const CAPABILITIES = ['photo_swap', 'lip_sync'] as const;

/** The key of a cap, in which roles and members are given by name. */
export interface CapCommandKey {
  readonly target: 'operator' | 'guild' | (typeof ROLES)[number] | (typeof USERS)[number];
  readonly capability: '' | (typeof CAPABILITIES)[number];
  readonly period: CapPeriod;
}

/** A command that changes a guild's books, its rules or the time. */
export type LedgerCommand =
  | {
      readonly kind: 'hold';
      readonly subject: string;
      readonly userId: string;
      readonly roleIds: readonly string[];
      readonly capability: string;
      readonly amount: number;
    }
  | { readonly kind: 'resize'; readonly subject: string; readonly amount: number }
  | { readonly kind: 'post'; readonly subject: string; readonly charged: number; readonly agoMs: number }
  | { readonly kind: 'void' | 'review'; readonly subject: string }
  | { readonly kind: 'cap'; readonly key: CapCommandKey; readonly limit: number | null }
  | { readonly kind: 'zone'; readonly zone: string | null }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Repeats an earlier command: the one that is `back` commands before this one. */
  | { readonly kind: 'repeat'; readonly back: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Zones whose clocks change at unusual hours, at midnight or by half an hour, and zones with offsets of quarter hours.
 */
const ZONES = [
  null,
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];

/** Times shortly before the clocks change, or before a month ends, in one of the zones. */
export const startsAtMs: fc.Arbitrary<number> = fc.constantFrom(
  Date.UTC(2026, 2, 28, 20),
  Date.UTC(2026, 9, 24, 20),
  Date.UTC(2026, 3, 23, 18),
  Date.UTC(2026, 9, 31, 22),
  Date.UTC(2026, 3, 4, 9),
  Date.UTC(2028, 1, 28, 23),
  Date.UTC(2026, 11, 31, 11),
);

const subject = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
const amount = fc.integer({ min: 1, max: 60 });

const capKey: fc.Arbitrary<CapCommandKey> = fc
  .record({
    target: fc.constantFrom('operator' as const, 'guild' as const, ...ROLES, ...USERS),
    capability: fc.constantFrom('' as const, ...CAPABILITIES),
    period: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'total' as const),
  })
  .map((key) => (key.target === 'operator' ? { ...key, capability: '' } : key));

const command: fc.Arbitrary<LedgerCommand> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      subject,
      userId: fc.constantFrom(...USERS),
      roleIds: fc.subarray([...ROLES]),
      capability: fc.constantFrom(...CAPABILITIES),
      amount,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resize' as const), subject, amount }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      subject,
      charged: fc.integer({ min: 0, max: 90 }),
      agoMs: fc.constantFrom(0, 0, 0, HOUR_MS, 2 * DAY_MS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('void' as const, 'review' as const), subject }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('cap' as const),
      key: capKey,
      limit: fc.option(fc.constantFrom(0, 10, 50, 100, 150, 200), { freq: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('zone' as const), zone: fc.constantFrom(...ZONES) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(
        fc.constantFrom(15 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS, 7 * DAY_MS),
        fc.integer({ min: 1, max: 90 * MINUTE_MS }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('repeat' as const), back: fc.integer({ min: 1, max: 30 }) }),
  },
);

/** Generates up to `length` commands in a row. */
export function commandsOf(length: number): fc.Arbitrary<readonly LedgerCommand[]> {
  return fc
    .array(command, { minLength: 1, maxLength: length, size: 'max' })
    .map((commands) => commands.map((one, index) => repeated(commands, one, index)));
}

/** Replaces a repeat with the command that it repeats, or with a pause of 0 ms if there is no such command. */
function repeated(commands: readonly LedgerCommand[], one: LedgerCommand, index: number): LedgerCommand {
  let at = index;
  let found = one;
  while (found.kind === 'repeat') {
    at -= found.back;
    found = commands[at] ?? { kind: 'pass', ms: 0 };
  }
  return found;
}
