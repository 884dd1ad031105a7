import { countHoldsInReview } from '../../../../db/queries/holds.ts';
import { type MicroUsd, ZERO, addMicros, subtractMicros } from '../../../base/money.ts';
import { type CollectedUsage, UsageReader } from '../../../media-api/usage-reader.ts';
import type { UsageWindow } from '../../../media-api/usage-dialects.ts';
import { readBooks } from './read-books.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import { correctCharges } from './correct-charges.ts';
import { type BookTotals, compareTotals } from './figures.ts';
import { bookForeign } from './book-foreign.ts';
import { type Verdicts, judge } from './judge.ts';
import type { KnownCall } from './known-call.ts';
import { loadCalls } from './load-calls.ts';
import { settleHold, settleOpenHolds } from './settle-open-holds.ts';
import type { Report } from './report.ts';
import type { ReconciliationState } from './reconciliation-state.ts';
import { keepSuggestions, loadDecisions } from './keep-suggestions.ts';

interface Compared {
  readonly report: Report;
  readonly next: ReconciliationState;
}

/** Each comparison repeats the decisions about the last day, because records may change or arrive late. */
const AGAIN_MS = 86_400_000;
/** Records that cannot be judged within this time are left unjudged. */
const UNDECIDED_MS_MAX = 7 * 86_400_000;

/**
 * Compares the books once with the service's jobs, usage log, summary and balance. It settles, corrects and books
 * everything that is proven, and reports the rest. Repeating a step changes nothing more. Passes errors from the
 * service's client on to the caller.
 */
export async function compare(
  state: ReconciliationState,
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<Compared> {
  const { db, api, clock } = context;
  const reading = { nowMs: clock.now(), signal };
  const before = await readBooks(db.kysely, state.checkpoint, reading);
  const open = await settleOpenHolds(context, signal);
  const readAtMs = clock.now();
  const window = { fromMs: Math.max(state.sinceMs, state.decidedToMs - AGAIN_MS), toMs: readAtMs };
  const reader = new UsageReader(api.account, state.habits ?? undefined);
  const options = { signal, priority: 'background' } as const;
  const usage = await reader.collect(window, options);
  const { balance, totalToppedUp } = await api.account.balance(options);
  const verdicts = await judgeAll({ state, window, usage, open }, context);
  const disputed = await apply(verdicts, { state, usage, readAtMs, open }, context, signal);
  const after = await readBooks(db.kysely, state.checkpoint, reading);
  const spentEarlier = state.spentEarlier ?? spentBefore(usage, after.totals);
  const service = { spent: usage.summary.totalSpent, balance, toppedUp: totalToppedUp };
  const report: Report = {
    madeAtMs: readAtMs,
    isComplete: usage.complete,
    service,
    spentEarlier,
    books: after.totals,
    ...compareTotals(service, spentEarlier, { before: before.totals, after: after.totals }),
    inReview: await countHoldsInReview(db.kysely),
    undecided: verdicts.undecided.length,
  };
  const next = {
    ...state,
    spentEarlier,
    decidedToMs: decidedTo({ state, window, usage, verdicts }),
    habits: reader.habits ?? null,
    ids: verdicts.ids,
    checkpoint: after.checkpoint,
    disputed,
  };
  return { report, next };
}

interface Seen {
  readonly state: ReconciliationState;
  readonly window: UsageWindow;
  readonly usage: CollectedUsage;
}

async function judgeAll(
  { state, window, usage, open }: Seen & { readonly open: readonly string[] },
  { db, clock }: ReconcileContext,
): Promise<Verdicts> {
  const { records } = usage;
  const recordIds = records.map(({ id }) => id);
  const decided = await loadDecisions(db.kysely, recordIds);
  const owners = [...decided.values()].filter((subject) => subject !== null);
  const judgeBy = async (ids: ReconciliationState['ids']): Promise<Verdicts> => {
    const { calls, complete } = await loadCalls(db.kysely, window, {
      recordIds,
      subjects: [...open, ...owners],
      ids,
    });
    const isComplete = usage.complete && complete;
    return judge({ calls, records, window, ids, complete: isComplete, nowMs: clock.now(), decided });
  };
  const verdicts = await judgeBy(state.ids);
  // If judging shows that the ids are not equal, calls that were not loaded can own the records too, so the calls are
  // loaded and judged again without that assumption.
  return state.ids === 'equal' && verdicts.ids !== 'equal' ? judgeBy(verdicts.ids) : verdicts;
}

async function apply(
  verdicts: Verdicts,
  {
    state,
    usage,
    readAtMs,
    open,
  }: Omit<Seen, 'window'> & {
    readonly readAtMs: number;
    readonly open: readonly string[];
  },
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<ReconciliationState['disputed']> {
  const asOfMs = readAtMs;
  for (const { call, charged } of verdicts.settled) {
    signal.throwIfAborted();
    await settleHold(holdOf(call), charged, context, { asOfMs });
  }
  for (const { call, charged, recordId, isOnly } of verdicts.inferred) {
    signal.throwIfAborted();
    await settleHold(holdOf(call), charged, context, { asOfMs, ...(isOnly ? { recordId } : {}) });
  }
  for (const call of verdicts.absent) {
    signal.throwIfAborted();
    if (open.includes(call.subject)) await settleHold(holdOf(call), ZERO, context, { asOfMs });
  }
  await bookForeign(verdicts, usage.records, context, signal);
  await keepSuggestions(verdicts.suggested, { records: usage.records, open }, context);
  return correctCharges(verdicts.differing, { disputed: state.disputed, readAtMs }, context, signal);
}

function holdOf({ subject, guildId }: KnownCall): { readonly subject: string; readonly guild_id: string } {
  return { subject, guild_id: guildId };
}

/**
 * Returns the amount that the service charged before the books began: its total minus its charges since then. If the
 * log is incomplete, those charges are assumed to equal the amounts in the books.
 */
function spentBefore({ summary, complete, records }: CollectedUsage, books: BookTotals): MicroUsd {
  const since = complete
    ? records.reduce((sum, { charged }) => addMicros(sum, charged), ZERO)
    : addMicros(books.spent, books.foreign);
  return subtractMicros(summary.totalSpent, since);
}

/** Returns the time up to which everything is decided. */
function decidedTo({ state, window, usage, verdicts }: Seen & { readonly verdicts: Verdicts }): number {
  const undecidedMs = verdicts.undecided.map(({ createdAtMs }) => createdAtMs);
  const decidedMs = usage.complete ? Math.min(window.toMs, ...undecidedMs) : state.decidedToMs;
  return Math.max(state.sinceMs, decidedMs, window.toMs - UNDECIDED_MS_MAX);
}
