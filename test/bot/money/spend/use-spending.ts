import { openDatabase } from '../../../../db/database.ts';
import { putBudgetManager } from '../../../../db/queries/budget-settings.ts';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';

type Options = NonNullable<Parameters<SandboxMember['runs']>[1]['options']>;

/** A community whose members spend money without waiting for renders. */
export interface SpendingPlace extends Community {
  /** Adds a job for `who` to the ledger. If `charged` is null, the job is still running, with `held` set aside. */
  readonly spends: (
    who: SandboxMember,
    on: string,
    held: number,
    charged: number | null,
    clock?: Clock,
  ) => Promise<void>;
  /** Allows a role to manage the budget. */
  readonly trusts: (role: { readonly id: string }) => Promise<void>;
  readonly asks: (
    who: SandboxMember,
    subcommand: 'show' | 'export',
    options?: Options,
  ) => Promise<MessageView>;
}

export async function useSpending(): Promise<SpendingPlace> {
  const place = await useCommunity();
  const { guild, general, dataDir } = place;
  const url = `sqlite:${dataDir}/masquerade.db`;
  const defaultBudget = { limit: micros(10_000_000), period: 'month', timeZone: 'UTC' } as const;
  let count = 0;
  return {
    ...place,
    spends: async (who, on, held, charged, clock = systemClock) => {
      await using db = await openDatabase({ url, clock: systemClock, logger: silentLogger });
      const ledger = new Ledger({ clock, defaultBudget });
      const subject = `job_${(count += 1)}`;
      const request = {
        subject,
        guildId: guild.id,
        userId: who.id,
        roleIds: [],
        capability: on,
        rateCard: '{}',
      };
      await db.transaction(`guild:${guild.id}`, async (trx) => {
        await ledger.hold(trx, { ...request, amount: micros(held) });
        if (charged !== null) await ledger.post(trx, { subject, charged: micros(charged) });
      });
    },
    trusts: async ({ id }) => {
      await using db = await openDatabase({ url, clock: systemClock, logger: silentLogger });
      await db.transaction(`guild:${guild.id}`, (trx) => putBudgetManager(trx, guild.id, id));
    },
    asks: async (who, subcommand, options = {}) =>
      (await who.runs(`/spend ${subcommand}`, { in: general, options })).replied({ timeoutMs: 40_000 }),
  };
}
