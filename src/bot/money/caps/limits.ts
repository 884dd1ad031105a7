import type { PseudonymOf } from '../../../../db/pseudonyms.ts';
import { listCapsOfGuild } from '../../../../db/queries/applying-caps.ts';
import { isGone } from '../../../../db/queries/gone-members.ts';
import { type MeterPlace, findMeters } from '../../../../db/queries/meters.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Spender, capsFor, capsOfMember, guildCaps } from './caps-for.ts';
import { type BudgetView, budgetOf } from './budget.ts';
import type { Cap, CapKey, CapView, ListedCap } from './cap.ts';
import { type CapCalendar, LIMITED_PERIODS, calendarOf, guildWindowAt } from './cap-calendar.ts';
import { compareCaps } from './compare-caps.ts';
import {
  type MeteredCap,
  type ReadMeters,
  isOfMember,
  keepMeters,
  meterCap,
  meterCaps,
  viewOf,
} from './metered-cap.ts';
import type { Window } from './window.ts';
import { slotOf } from './slot-of.ts';
import type { UsualCaps } from './usual-caps.ts';
import { Windows } from './windows.ts';

interface LimitsOptions {
  readonly clock: Clock;
  readonly usual: UsualCaps;
  /** Returns the pseudonym of a member whose data was removed. */
  readonly pseudonymOf: PseudonymOf;
}

interface CapPlace {
  readonly guildId: string;
  readonly userId: string;
  readonly calendar: CapCalendar;
}

/**
 * Computes what guilds and their members may spend, and how much of it is used. How long a method takes does not depend
 * on the length of the history.
 */
export class Limits {
  readonly #options: LimitsOptions;
  readonly #windows = new Windows();

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  /**
   * Returns all caps that apply to a spender in the quarter of an hour that starts at `slotMs`. Creates any missing
   * meters for these caps.
   */
  async meter(trx: Trx, spender: Spender, slotMs: number): Promise<MeteredCap[]> {
    const found = await capsFor(trx, spender, this.#options);
    const read = await this.#read(trx, placeOf(spender, slotMs), found.caps);
    const metered = await meterCaps(trx, found, read, this.#windows);
    await keepMeters(trx, metered);
    return metered;
  }

  /** Returns the guild's current budget. */
  async budget(db: Queryable, guildId: string): Promise<BudgetView> {
    const spender = { guildId, userId: '', roleIds: [], capability: '' };
    const found = await capsFor(db, spender, this.#options);
    const read = await this.#read(db, this.#now(spender), found.caps);
    return budgetOf((await meterCaps(db, found, read, this.#windows)).map(viewOf));
  }

  /**
   * Returns the caps that apply to a guild and, if a member is given, to that member, with their current amounts.
   * Includes both caps on all capabilities together and caps on single ones.
   */
  async views(
    db: Queryable,
    guildId: string,
    member: { readonly userId?: string; readonly roleIds?: readonly string[] } = {},
  ): Promise<CapView[]> {
    const { userId = '', roleIds = [] } = member;
    const { caps, calendar } = await capsOfMember(db, { guildId, userId, roleIds }, this.#options);
    const views: CapView[] = [];
    for (const cap of caps) views.push(await this.#view(db, cap, { guildId, userId, calendar }));
    return views;
  }

  /** Whether amounts spent before the member's data was removed count against one of the member's limits. */
  async countsFromBefore(
    db: Queryable,
    guildId: string,
    member: { readonly userId: string; readonly roleIds: readonly string[] },
  ): Promise<boolean> {
    const { caps, calendar } = await capsOfMember(db, { guildId, ...member }, this.#options);
    for (const cap of caps.filter(isOfMember)) {
      const at = this.#now({ guildId, userId: member.userId, capability: cap.capability ?? '' });
      const read = await this.#read(db, at, [cap]);
      const [, ...earlier] = (await meterCap(db, { cap, calendar }, read, this.#windows)).sums;
      if (earlier.some(({ totals }) => totals.posted > 0 || totals.pending > 0)) return true;
    }
    return false;
  }

  /**
   * Returns all caps that apply in a guild, including role and member caps. At most `limit` of them are stored caps.
   */
  async list(
    db: Queryable,
    guildId: string,
    limit: number,
    isWanted: (cap: Cap) => boolean = () => true,
  ): Promise<ListedCap[]> {
    const rows = await listCapsOfGuild(db, guildId, limit);
    const { caps, calendar } = await guildCaps(db, guildId, rows, this.#options.usual);
    const listed: ListedCap[] = [];
    for (const cap of caps.filter(isWanted)) {
      const userId = cap.target.kind === 'member' ? cap.target.userId : '';
      const view = await this.#view(db, cap, { guildId, userId, calendar });
      listed.push({ cap, resetsAtMs: view.resetsAtMs, view: cap.target.kind === 'role' ? null : view });
    }
    return listed;
  }

  /** Returns the cap with the spender's current amounts; `undefined` if the cap does not apply to the spender. */
  async standing(db: Queryable, spender: Spender, key: CapKey): Promise<MeteredCap | undefined> {
    const { caps, calendar } = await capsFor(db, spender, this.#options);
    const cap = caps.find((one) => compareCaps(one, key) === 0);
    return cap && this.#meter(db, cap, { ...spender, calendar });
  }

  /**
   * Returns the caps on a guild and on its single members, with their current amounts. At most `limit` of them are
   * stored caps. Role caps are left out, because each member with the role has their own amount left.
   */
  async standings(
    db: Queryable,
    guildId: string,
    { limit, isWanted }: { readonly limit: number; readonly isWanted: (cap: Cap) => boolean },
  ): Promise<MeteredCap[]> {
    const rows = await listCapsOfGuild(db, guildId, limit);
    const { caps, calendar } = await guildCaps(db, guildId, rows, this.#options.usual);
    const standings: MeteredCap[] = [];
    for (const cap of caps.filter(isWanted)) {
      if (cap.target.kind === 'role') continue;
      const userId = cap.target.kind === 'member' ? cap.target.userId : '';
      standings.push(await this.#meter(db, cap, { guildId, userId, calendar }));
    }
    return standings;
  }

  /** Returns the span from the earliest start to the latest end of the current windows of the guild's own caps. */
  async span(db: Queryable, guildId: string): Promise<Window> {
    const { clock, usual } = this.#options;
    const calendar = await calendarOf(db, guildId, usual.timeZone);
    const atMs = slotOf(clock.now());
    const windows = LIMITED_PERIODS.map((period) => guildWindowAt(period, calendar, atMs, this.#windows));
    return {
      startsAtMs: Math.min(...windows.map(({ startsAtMs }) => startsAtMs)),
      endsAtMs: Math.max(...windows.map(({ endsAtMs }) => endsAtMs)),
    };
  }

  async #view(db: Queryable, cap: Cap, of: CapPlace): Promise<CapView> {
    return viewOf(await this.#meter(db, cap, of));
  }

  async #meter(db: Queryable, cap: Cap, { guildId, userId, calendar }: CapPlace): Promise<MeteredCap> {
    const at = this.#now({ guildId, userId, capability: cap.capability ?? '' });
    const read = await this.#read(db, at, [cap]);
    return meterCap(db, { cap, calendar }, read, this.#windows);
  }

  /**
   * Returns the meters of these caps' sums. Meters under a pseudonym are included only if the member has a pseudonym.
   */
  async #read(db: Queryable, at: MeterPlace, caps: readonly Cap[]): Promise<ReadMeters> {
    const pseudonym = at.userId !== '' && caps.some(isOfMember) ? await this.#goneAs(db, at) : '';
    return { at, pseudonym, meters: await findMeters(db, at, pseudonym) };
  }

  async #goneAs(db: Queryable, { guildId, userId }: MeterPlace): Promise<string> {
    const pseudonym = this.#options.pseudonymOf(userId);
    return (await isGone(db, { guildId, pseudonym })) ? pseudonym : '';
  }

  #now(of: Omit<MeterPlace, 'slotMs'>): MeterPlace {
    return placeOf(of, slotOf(this.#options.clock.now()));
  }
}

function placeOf({ guildId, userId, capability }: Omit<MeterPlace, 'slotMs'>, slotMs: number): MeterPlace {
  return { guildId, userId, capability, slotMs };
}
