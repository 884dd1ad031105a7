import {
  type CheckedHold,
  type Figures,
  type MeterId,
  type WrongSum,
  checkHolds,
  checkMeters,
  countEntries,
  listStrayEntries,
  listWrongSpending,
  nextBookedGuild,
  nextBookedSlot,
} from '../../../../db/queries/ledger-checks.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import type { SpendingKey } from '../../../../db/queries/spending.ts';
import type { Queryable } from '../../../../db/schema.ts';

/** A stored figure that differs from the entries. Amounts are micro-dollars. */
export interface Difference {
  /**
   * Where the figure is stored, such as `hold job_abc` or `spending of guild 1, 2026-01-01T10:15:00.000Z, member 2,
   * photo_swap`.
   */
  readonly place: string;
  /** The name of the figure, such as `charged`. */
  readonly figure: string;
  readonly stored: number | string;
  readonly computed: number | string;
}

/** The numbers of rows that were checked. */
interface Verified {
  readonly holds: number;
  readonly entries: number;
  readonly guilds: number;
  readonly meters: number;
  readonly differences: number;
}

const PAGE = 500;
const SPAN_MS = 86_400_000;
/** When a guild's meters are checked, at most this many of its wrong `spending` rows are taken into account. */
const WRONG_MAX = 10_000;

/**
 * Computes holds, spending, meters and accounts from the entries and reports every difference. Reads page by page,
 * changes nothing, and gives correct results while other processes are booking.
 */
export async function verifyLedger(
  db: Queryable,
  report: (difference: Difference) => void,
): Promise<Verified> {
  let differences = 0;
  const reportAll = (found: readonly Difference[]): void => {
    differences += found.length;
    for (const difference of found) report(difference);
  };
  const holds = await verifyHolds(db, reportAll);
  await verifyLinks(db, reportAll);
  let guilds = 0;
  let meters = 0;
  let guildId: string | undefined = '';
  // Foreign use of the account is booked under an empty guild id.
  do {
    guilds++;
    await verifyAccounts(db, guildId, reportAll);
    const wrong = await verifySpending(db, guildId, reportAll);
    for (const isOfMembers of [false, true]) {
      meters += await verifyMeters(db, { guildId, isOfMembers, wrong }, reportAll);
    }
    guildId = await nextBookedGuild(db, guildId);
  } while (guildId !== undefined);
  return { holds, entries: await countEntries(db), guilds: guilds - 1, meters, differences };
}

type Report = (found: readonly Difference[]) => void;

/**
 * Checks that each hold's amounts and state follow from its entries, and that it was opened once and resolved at most
 * once.
 */
async function verifyHolds(db: Queryable, report: Report): Promise<number> {
  let count = 0;
  let after = '';
  for (;;) {
    const page = await checkHolds(db, { after, limit: PAGE });
    for (const checked of page) report(differencesOf(checked));
    count += page.length;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return count;
    after = last.hold.subject;
  }
}

function differencesOf(checked: CheckedHold): Difference[] {
  const { hold } = checked;
  const isOpen = hold.state === 'pending' || hold.state === 'review';
  const rows: [string, number, number][] = [
    ['amount', hold.amount_micros, checked.held],
    [`pending (${hold.state})`, isOpen ? hold.amount_micros : 0, checked.pending],
    ['charged', hold.charged_micros, checked.posted],
    ['overrun', hold.overrun_micros, checked.overrun],
    ['times it began', 1, checked.begun],
    ['entries of another guild or time', 0, checked.astray],
  ];
  return rows.flatMap(([figure, stored, computed]) =>
    stored === computed ? [] : [{ place: `hold ${hold.subject}`, figure, stored, computed }],
  );
}

/** Checks that every entry belongs to a hold, and that every adjustment corrects an earlier entry of the same hold. */
async function verifyLinks(db: Queryable, report: Report): Promise<void> {
  let after = 0;
  for (;;) {
    const page = await listStrayEntries(db, { after, limit: PAGE });
    report(
      page.map(({ id, subject, corrects, hasHold }) => ({
        place: `entry ${id} of ${subject}`,
        figure: hasHold ? 'corrects' : 'hold',
        stored: hasHold ? String(corrects) : subject,
        computed: hasHold ? 'no earlier entry of the subject' : 'no hold',
      })),
    );
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}

async function verifyAccounts(db: Queryable, guildId: string, report: Report): Promise<void> {
  const balances = await sumAccounts(db, guildId);
  const sum = Object.values(balances).reduce((total, balance) => total + balance, 0);
  if (sum !== 0)
    report([{ place: placeOfGuild(guildId), figure: 'sum of accounts', stored: sum, computed: 0 }]);
}

async function verifySpending(
  db: Queryable,
  guildId: string,
  report: Report,
): Promise<WrongSum<SpendingKey>[]> {
  const allowedFor: WrongSum<SpendingKey>[] = [];
  let fromMs = await nextBookedSlot(db, guildId, 0);
  while (fromMs !== undefined) {
    const toMs = fromMs + SPAN_MS;
    const wrong = await listWrongSpending(db, { guildId, fromMs, toMs });
    for (const one of wrong) report(sumDifferences(placeOfSpending(one.key), one));
    allowedFor.push(...wrong.slice(0, WRONG_MAX - allowedFor.length));
    fromMs = await nextBookedSlot(db, guildId, toMs);
  }
  return allowedFor;
}

async function verifyMeters(
  db: Queryable,
  of: {
    readonly guildId: string;
    readonly isOfMembers: boolean;
    readonly wrong: readonly WrongSum<SpendingKey>[];
  },
  report: Report,
): Promise<number> {
  let count = 0;
  let after: MeterId | undefined;
  for (;;) {
    const page: WrongSum<MeterId>[] = await checkMeters(db, of, { after, limit: PAGE });
    for (const meter of page) {
      const right = { ...meter, computed: corrected(meter, of.wrong) };
      report(sumDifferences(placeOfMeter(of.guildId, meter.key), right));
    }
    count += page.length;
    after = page.at(-1)?.key;
    if (!after || page.length < PAGE) return count;
  }
}

/** Subtracts the known errors in `spending` from a meter's computed sum, so that a wrong row is reported only once. */
function corrected({ key, computed }: WrongSum<MeterId>, wrong: readonly WrongSum<SpendingKey>[]): Figures {
  const sum = { ...computed };
  for (const row of wrong) {
    const isIn =
      (key.user_id === '' || key.user_id === row.key.userId) &&
      (key.capability === '' || key.capability === row.key.capability) &&
      key.starts_at_ms <= row.key.slotMs &&
      row.key.slotMs < key.ends_at_ms;
    if (!isIn) continue;
    for (const name of FIGURES) sum[name] += row.computed[name] - row.stored[name];
  }
  return sum;
}

const FIGURES = ['posted', 'pending', 'overrun'] as const;

function sumDifferences(
  place: string,
  { stored, computed }: Pick<WrongSum<unknown>, 'stored' | 'computed'>,
): Difference[] {
  return FIGURES.flatMap((figure) =>
    stored[figure] === computed[figure]
      ? []
      : [{ place, figure, stored: stored[figure], computed: computed[figure] }],
  );
}

function placeOfGuild(guildId: string): string {
  return guildId === '' ? "nobody's guild" : `guild ${guildId}`;
}

function placeOfSpending({ guildId, slotMs, userId, capability }: SpendingKey): string {
  const at = new Date(slotMs).toISOString();
  return `spending of ${placeOfGuild(guildId)}, ${at}, member ${userId}, ${capability}`;
}

function placeOfMeter(guildId: string, key: MeterId): string {
  const who = key.user_id === '' ? '' : `, member ${key.user_id}`;
  const what = key.capability === '' ? '' : `, ${key.capability}`;
  const from = new Date(key.starts_at_ms).toISOString();
  return `meter of ${placeOfGuild(guildId)}${who}${what}, ${key.period} from ${from}`;
}
