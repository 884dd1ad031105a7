import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renameBlockedMember } from '../../../../db/queries/guild-rules.ts';
import { Access } from '../../../../src/bot/people/access/access.ts';
import type { AccessLimits, RuleEntry } from '../../../../src/bot/people/access/rules.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { LimitsChange } from '../../../../src/bot/people/access/access-view.ts';

const GUILDS = ['100', '200'] as const;
const DEFAULTS: AccessLimits = { cooldownSeconds: 7, concurrentMax: 8, ageRestrictedOnly: true };
const KINDS = ['role', 'channel', 'capability', 'member'] as const;
const EFFECTS = ['allow', 'deny'] as const;

const guildId = fc.constantFrom(...GUILDS);
/** The same ids are used for targets of every kind, and for guilds. */
const target = fc.record({ kind: fc.constantFrom(...KINDS), target: fc.constantFrom('100', '200', '300') });
const change = fc.record(
  {
    cooldownSeconds: fc.constantFrom(null, 0, 60),
    concurrentMax: fc.constantFrom(null, 1, 2),
    ageRestrictedOnly: fc.constantFrom(null, true, false),
  },
  { requiredKeys: [] },
);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      guildId,
      target,
      effect: fc.constantFrom(...EFFECTS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clear' as const), guildId, target }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('limit' as const), guildId, change }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      guildId,
      to: fc.constantFrom(null, '5', '6'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rename' as const), userId: fc.constantFrom('100', '200') }),
  },
);

/** The latest settings by the admins of one guild. */
class Said {
  limits: { -readonly [Name in keyof LimitsChange]: LimitsChange[Name] } = {};
  reports: string | null = null;
  readonly entries = new Map<string, RuleEntry>();

  view(): object {
    const { cooldownSeconds, concurrentMax, ageRestrictedOnly } = this.limits;
    return {
      cooldownSeconds: cooldownSeconds ?? DEFAULTS.cooldownSeconds,
      concurrentMax: concurrentMax ?? DEFAULTS.concurrentMax,
      ageRestrictedOnly: ageRestrictedOnly ?? DEFAULTS.ageRestrictedOnly,
      reportsChannelId: this.reports,
      entries: [...this.entries]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, entry]) => entry),
    };
  }
}

const keyOf = ({ kind, target: id }: Pick<RuleEntry, 'kind' | 'target'>): string => `${kind} ${id}`;

test('admins see the latest rules, each server its own', async () => {
  const db = await useDatabase();
  const access = await Access.open({ db, clock: new FakeClock(), defaults: DEFAULTS });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30, size: 'max' }), async (commands) => {
      await db.kysely.deleteFrom('guild_rules').execute();
      await db.kysely.deleteFrom('guild_rule_entries').execute();
      const said = new Map(GUILDS.map((id) => [id as string, new Said()]));
      for (const one of commands) {
        if (one.do === 'rename') {
          const gone = access.pseudonymOf(one.userId);
          await db.transaction(`member:${one.userId}`, (trx) => renameBlockedMember(trx, one.userId, gone));
          for (const { entries } of said.values()) {
            const entry = entries.get(`member ${one.userId}`);
            if (!entry) continue;
            entries.delete(`member ${one.userId}`);
            entries.set(`member ${gone}`, { ...entry, target: gone });
          }
          continue;
        }
        const admin = anOrigin({ guildId: one.guildId, isAdmin: true });
        const model = said.get(one.guildId) ?? new Said();
        if (one.do === 'limit') {
          await access.limit(admin, one.change);
          Object.assign(model.limits, one.change);
        } else if (one.do === 'report') {
          await access.reportTo(admin, one.to);
          model.reports = one.to;
        } else {
          const { kind } = one.target;
          const gone = `member ${access.pseudonymOf(one.target.target)}`;
          const hadGone = kind === 'member' && model.entries.delete(gone);
          if (one.do === 'set') {
            const entry = { ...one.target, effect: one.effect };
            await access.set(admin, entry);
            model.entries.set(keyOf(entry), entry);
          } else {
            const had = model.entries.delete(keyOf(one.target));
            expect(await access.clear(admin, one.target)).toBe(had || hadGone);
          }
        }
      }
      for (const [id, model] of said) {
        const view = await access.view(anOrigin({ guildId: id, isAdmin: true }));
        expect(view).toEqual(model.view());
        expect(await access.reportsChannelOf(id)).toBe(model.reports);
      }
    }),
    { numRuns: TEST_DATABASE === 'postgres' ? 6 : 30 },
  );
});
