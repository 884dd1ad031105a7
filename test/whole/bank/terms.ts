import { micros } from '../../../src/base/money.ts';
import type { Budget } from '../../../src/bot/money/caps/budget.ts';
import type { Amount } from '../../../src/bot/money/caps/usual-caps.ts';

/** The settings of the bank's operator. Only recorded overruns may exceed the allowance and the budgets. */
export const OPERATOR_ZONE = 'America/New_York';
export const ALLOWANCE: Amount = { limit: micros(10_000_000), period: 'day' };
export const DEFAULT_BUDGET: Budget = { limit: micros(25_000_000), period: 'week', timeZone: OPERATOR_ZONE };

export const GUILDS = ['70001', '70002', '70003'] as const;
export const USERS = ['80001', '80002', '80003', '80004'] as const;
export const ROLES = ['90001', '90002'] as const;
export const CAPABILITIES = ['photo_swap', 'lip_sync'] as const;
export const PERIODS = ['day', 'week', 'month', 'total'] as const;
export const ZONES = [
  null,
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'America/Havana',
] as const;
