import { listCapsOfGuild } from '../../db/queries/applying-caps.ts';
import { type MeterPlace, findMeters } from '../../db/queries/meters.ts';
import type { Queryable, Trx } from '../../db/schema.ts';
import type { Clock } from '../base/clock.ts';
import { type Spender, capsFor, capsOfMember, guildCaps, withUsual } from './applying-caps.ts';
import { type BudgetView, budgetOf } from './budget.ts';
import type { Cap, CapView, ListedCap } from './cap.ts';
import { type MeteredCap, keepMeters, meterCap, meterCaps, viewOf } from './metered-cap.ts';
import { slotOf } from './slot.ts';
import type { UsualCaps } from './usual-caps.ts';
import { Windows } from './windows.ts';

/** What guilds and their members may spend, and how much of that is used. Takes the same time however long the history. */
export class Limits {
  readonly #clock: Clock;
  readonly #usual: UsualCaps;
  readonly #windows = new Windows();

  constructor(clock: Clock, usual: UsualCaps) {
    this.#clock = clock;
    this.#usual = usual;
  }

  /** All caps on a use of money in the quarter of an hour `slotMs`; from now on their sums are kept. */
  async meter(trx: Trx, spender: Spender, slotMs: number): Promise<MeteredCap[]> {
    const at = placeOf(spender, slotMs);
    const caps = await capsFor(trx, spender, this.#usual);
    const meters = await findMeters(trx, at);
    const metered = await meterCaps(trx, caps, { at, meters }, this.#windows);
    await keepMeters(trx, metered, meters);
    return metered;
  }

  /** How the guild's budget stands now. */
  async budget(db: Queryable, guildId: string): Promise<BudgetView> {
    const spender = { guildId, userId: '', roleIds: [], capability: '' };
    const caps = await capsFor(db, spender, this.#usual);
    const at = this.#now(spender);
    const metered = await meterCaps(db, caps, { at, meters: await findMeters(db, at) }, this.#windows);
    return budgetOf(metered.map(viewOf));
  }

  /** How the caps of all capabilities stand now that count for a guild and, if named, for a member of it. */
  async views(
    db: Queryable,
    guildId: string,
    member: { readonly userId?: string; readonly roleIds?: readonly string[] } = {},
  ): Promise<CapView[]> {
    const { userId = '', roleIds = [] } = member;
    const { caps, timeZone } = await capsOfMember(db, { guildId, userId, roleIds }, this.#usual);
    const views: CapView[] = [];
    for (const cap of caps) views.push(await this.#view(db, cap, { guildId, userId, timeZone }));
    return views;
  }

  /** Every cap that counts in a guild, also of its roles and members, at most `limit` of those that were set. */
  async list(
    db: Queryable,
    guildId: string,
    limit: number,
    isWanted: (cap: Cap) => boolean = () => true,
  ): Promise<ListedCap[]> {
    const rows = await listCapsOfGuild(db, guildId, limit);
    const { caps, timeZone } = await guildCaps(db, guildId, withUsual(rows, this.#usual), this.#usual);
    const listed: ListedCap[] = [];
    for (const cap of caps.filter(isWanted)) {
      const userId = cap.target.kind === 'member' ? cap.target.userId : '';
      const view = await this.#view(db, cap, { guildId, userId, timeZone });
      listed.push({ cap, resetsAtMs: view.resetsAtMs, view: cap.target.kind === 'role' ? null : view });
    }
    return listed;
  }

  async #view(
    db: Queryable,
    cap: Cap,
    of: { readonly guildId: string; readonly userId: string; readonly timeZone: string },
  ): Promise<CapView> {
    const { guildId, userId, timeZone } = of;
    const at = this.#now({ guildId, userId, capability: cap.capability ?? '' });
    return viewOf(
      await meterCap(db, { cap, timeZone }, { at, meters: await findMeters(db, at) }, this.#windows),
    );
  }

  #now(of: Omit<MeterPlace, 'slotMs'>): MeterPlace {
    return placeOf(of, slotOf(this.#clock.now()));
  }
}

function placeOf({ guildId, userId, capability }: Omit<MeterPlace, 'slotMs'>, slotMs: number): MeterPlace {
  return { guildId, userId, capability, slotMs };
}
