import {
  type CapabilitySum,
  type MemberSum,
  type SpendScope,
  firstSpendingMs,
  sumByCapability,
  sumByMember,
} from '../../../../db/queries/spend-reports.ts';
import type { Database } from '../../../../db/database.ts';
import type { Clock } from '../../../base/clock.ts';
import { addMicros } from '../../../base/money.ts';
import type { CapView } from '../caps/cap.ts';
import type { Window } from '../caps/window.ts';
import { bucketsOf } from './spend-buckets.ts';
import { SpendError } from './spend-error.ts';
import { type SpendExport, writeExport } from './write-export.ts';
import { type SpendReport, type SpendSubject, makeReport, usedOf } from './spend-report.ts';
import type { SpendQuery, SpendViewer } from './spend-query.ts';

const TOP_MEMBERS_MAX = 5;

/**
 * If more members than this spent money in one slice (`SLICE_MS_MAX`), the order of the top members may not be exact.
 */
const MEMBERS_PER_SLICE_MAX = 10_000;
/**
 * The longest time span of a single query, which keeps each query short. An amount never moves to another quarter of an
 * hour, so no amount is counted twice or missed.
 */
const SLICE_MS_MAX = 4 * 24 * 3_600_000;

/** The budget data that a report needs. */
export interface SpendBooks {
  timeZone(guildId: string): Promise<string>;
  /** Returns the caps that limit a guild or, if `member` is given, that member alone, with their current amounts. */
  caps(guildId: string, member: SpendMember | null): Promise<readonly CapView[]>;
  /** Whether amounts spent before the member's data was removed count against one of the member's limits. */
  countsFromBefore(guildId: string, member: SpendMember | null): Promise<boolean>;
  /** Whether the viewer may manage the server or its budgets. */
  isManager(viewer: SpendViewer): Promise<boolean>;
}

export interface SpendMember {
  readonly userId: string;
  /** Null if the roles are unknown. In that case, role caps are left out. */
  readonly roleIds: readonly string[] | null;
}

interface SpendReportsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly books: SpendBooks;
}

/** Reports a guild's spending, from the ledger's running totals. */
export class SpendReports {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #books: SpendBooks;

  constructor({ db, clock, books }: SpendReportsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#books = books;
  }

  async report(viewer: SpendViewer, query: SpendQuery): Promise<SpendReport> {
    const { guildId } = viewer;
    const subject = await this.#subject(viewer, query);
    const { timeZone, nowMs, firstMs } = await this.#place(guildId, subject);
    const parts = bucketsOf(subject.period, { timeZone, nowMs, firstMs });
    const spent: CapabilitySum[][] = [];
    const byMember = new Map<string, MemberSum>();
    for (const part of parts.buckets) {
      const sums: CapabilitySum[] = [];
      for (const slice of slicesOf(part)) {
        const scope = scopeOf(guildId, subject, slice);
        sums.push(...(await sumByCapability(this.#db.kysely, scope)));
        if (subject.userId !== null) continue;
        addAll(byMember, await sumByMember(this.#db.kysely, scope, MEMBERS_PER_SLICE_MAX));
      }
      spent.push(sums);
    }
    return makeReport({
      subject,
      parts,
      spent,
      topMembers: largest(byMember),
      caps: await this.#books.caps(guildId, memberOf(viewer, subject)),
      countsFromBefore: await this.#books.countsFromBefore(guildId, memberOf(viewer, subject)),
      timeZone,
      nowMs,
      isNew: firstMs === undefined,
    });
  }

  /** Exports one line for each job and session, oldest first, as CSV of at most about `bytesMax` bytes. */
  async export(viewer: SpendViewer, query: SpendQuery, bytesMax: number): Promise<SpendExport> {
    const { guildId } = viewer;
    const subject = await this.#subject(viewer, query);
    const { timeZone, nowMs, firstMs } = await this.#place(guildId, subject);
    const { buckets } = bucketsOf(subject.period, { timeZone, nowMs, firstMs });
    const window = {
      startsAtMs: buckets[0]?.startsAtMs ?? nowMs,
      endsAtMs: buckets.at(-1)?.endsAtMs ?? nowMs,
    };
    const written = await writeExport(this.#db.kysely, scopeOf(guildId, subject, window), {
      timeZone,
      bytesMax,
    });
    return { ...written, ...window, timeZone, userId: subject.userId };
  }

  async #subject(viewer: SpendViewer, { period, memberId, capability }: SpendQuery): Promise<SpendSubject> {
    const subject = { period, capability: capability ?? null };
    if (memberId === viewer.userId) return { ...subject, userId: viewer.userId };
    if (await this.#books.isManager(viewer)) return { ...subject, userId: memberId ?? null };
    if (memberId === undefined) return { ...subject, userId: viewer.userId };
    throw new SpendError(
      'What others spent is shown only to those who manage this server or its budget. Leave out `member` to see what you spent yourself.',
    );
  }

  async #place(
    guildId: string,
    { userId }: SpendSubject,
  ): Promise<{ timeZone: string; nowMs: number; firstMs: number | undefined }> {
    return {
      timeZone: await this.#books.timeZone(guildId),
      nowMs: this.#clock.now(),
      firstMs: await firstSpendingMs(this.#db.kysely, { guildId, userId }),
    };
  }
}

/**
 * Returns the member that the report is about. Only the viewer's roles are known, because Discord does not send other
 * members' roles.
 */
function memberOf(viewer: SpendViewer, { userId }: SpendSubject): SpendMember | null {
  return userId === null ? null : { userId, roleIds: userId === viewer.userId ? viewer.roleIds : null };
}

function scopeOf(guildId: string, subject: SpendSubject, window: Window): SpendScope {
  const { userId, capability } = subject;
  return { guildId, userId, capability, fromMs: window.startsAtMs, toMs: window.endsAtMs };
}

function* slicesOf({ startsAtMs, endsAtMs }: Window): Iterable<Window> {
  for (let fromMs = startsAtMs; fromMs < endsAtMs; fromMs += SLICE_MS_MAX) {
    yield { startsAtMs: fromMs, endsAtMs: Math.min(fromMs + SLICE_MS_MAX, endsAtMs) };
  }
}

function addAll(byMember: Map<string, MemberSum>, sums: readonly MemberSum[]): void {
  for (const sum of sums) {
    const so = byMember.get(sum.userId);
    byMember.set(sum.userId, {
      userId: sum.userId,
      posted: so ? addMicros(so.posted, sum.posted) : sum.posted,
      pending: so ? addMicros(so.pending, sum.pending) : sum.pending,
      overrun: so ? addMicros(so.overrun, sum.overrun) : sum.overrun,
    });
  }
}

function largest(byMember: ReadonlyMap<string, MemberSum>): readonly MemberSum[] {
  return [...byMember.values()]
    .filter((sum) => usedOf(sum) > 0)
    .sort((a, b) => usedOf(b) - usedOf(a) || (a.userId < b.userId ? -1 : 1))
    .slice(0, TOP_MEMBERS_MAX);
}
