import type { Clock } from '../../../base/clock.ts';
import { CONCURRENT_JOBS_MAX, COOLDOWN_SECONDS_MAX } from '../../../base/setting-rules.ts';
import type { Database } from '../../../../db/database.ts';
import { type PseudonymOf, openPseudonyms } from '../../../../db/pseudonyms.ts';
import {
  deleteRuleEntry,
  findGuildRules,
  listRuleEntries,
  putGuildRules,
  putRuleEntry,
} from '../../../../db/queries/guild-rules.ts';
import { countOpenJobs, lastAcceptedAtMs } from '../../../../db/queries/jobs.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { GuildRulesRow } from '../../../../db/schema/guild-rules.ts';
import type { AccessRefusal } from '../../jobs/intake/refusals.ts';
import { AccessError } from './access-error.ts';
import { ACCESS_DEFAULTS, type AccessLimits, type RuleEntry, type Rules, brokenRule } from './rules.ts';
import type { AccessGate } from '../../jobs/intake/access-gate.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import type { JobRequest } from '../../jobs/job-request.ts';
import type { AccessView, LimitsChange } from './access-view.ts';

const ENTRIES_MAX = 200;

interface AccessOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** The limits for guilds whose admins have not set their own. */
  readonly defaults?: Partial<AccessLimits> | undefined;
}

/** Decides who may use which command in a guild, and where. Stores the rules, and refuses any use that they forbid. */
export class Access implements AccessGate {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #defaults: AccessLimits;
  /** Returns the pseudonym under which a member's blocks and limits are kept after the member's data is deleted. */
  readonly pseudonymOf: PseudonymOf;

  private constructor(options: AccessOptions, pseudonymOf: PseudonymOf) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#defaults = { ...ACCESS_DEFAULTS, ...options.defaults };
    this.pseudonymOf = pseudonymOf;
  }

  static async open(options: AccessOptions): Promise<Access> {
    return new Access(options, await openPseudonyms(options.db.kysely));
  }

  async refuses(trx: Trx, request: JobRequest): Promise<AccessRefusal | null> {
    const { guildId, userId } = request;
    const names = this.#namesOf(userId);
    const rules = await this.#rules(trx, guildId);
    const broken = brokenRule(rules, request, names);
    if (broken) return broken;
    if (rules.concurrentMax !== null) {
      let open = 0;
      for (const name of names) open += await countOpenJobs(trx, { guildId, userId: name });
      if (open >= rules.concurrentMax) return { rule: 'concurrent', max: rules.concurrentMax };
    }
    if (rules.cooldownSeconds === 0) return null;
    let lastMs = -Infinity;
    for (const name of names) {
      lastMs = Math.max(lastMs, (await lastAcceptedAtMs(trx, { guildId, userId: name })) ?? -Infinity);
    }
    const endsAtMs = lastMs + rules.cooldownSeconds * 1000;
    return endsAtMs > this.#clock.now()
      ? { rule: 'cooldown', seconds: rules.cooldownSeconds, endsAtMs }
      : null;
  }

  /** Returns the rule that forbids voice conversion for this member in this place, or null. Job limits do not apply. */
  refusesVoice(by: CallOrigin): Promise<AccessRefusal | null> {
    return this.#refusesSession(by, 'voice_swap');
  }

  /** Returns the rule that forbids a live swap for this member in this place, or null. Job limits do not apply. */
  refusesLive(by: CallOrigin): Promise<AccessRefusal | null> {
    return this.#refusesSession(by, 'live_swap_pro');
  }

  async view(origin: CallOrigin): Promise<AccessView> {
    demandAdmin(origin);
    const row = await findGuildRules(this.#db.kysely, origin.guildId);
    const rules = await this.#rules(this.#db.kysely, origin.guildId, row);
    return { ...rules, reportsChannelId: row?.reports_channel_id ?? null };
  }

  /** Sets a rule, replacing any earlier rule for the same target. */
  async set(origin: CallOrigin, entry: RuleEntry): Promise<void> {
    demandAdmin(origin);
    const { guildId } = origin;
    await this.#db.transaction(`guild:${guildId}`, async (trx) => {
      if (entry.kind === 'member') {
        const target = this.pseudonymOf(entry.target);
        await deleteRuleEntry(trx, { guildId, kind: 'member', target });
      }
      const entries = await listRuleEntries(trx, guildId, ENTRIES_MAX);
      const isNew = !entries.some(({ kind, target }) => kind === entry.kind && target === entry.target);
      if (isNew && entries.length >= ENTRIES_MAX) {
        throw new AccessError(
          'too_many',
          `There are ${ENTRIES_MAX} rules already. Take some back first with \`/access clear\`.`,
        );
      }
      await putRuleEntry(trx, { guild_id: guildId, ...entry });
    });
  }

  /** Removes a rule. Returns false if there was none. */
  async clear(origin: CallOrigin, { kind, target }: Pick<RuleEntry, 'kind' | 'target'>): Promise<boolean> {
    demandAdmin(origin);
    const { guildId } = origin;
    const targets = kind === 'member' ? this.#namesOf(target) : [target];
    return this.#db.transaction(`guild:${guildId}`, async (trx) => {
      const cleared: boolean[] = [];
      for (const name of targets) cleared.push(await deleteRuleEntry(trx, { guildId, kind, target: name }));
      return cleared.includes(true);
    });
  }

  async limit(origin: CallOrigin, change: LimitsChange): Promise<void> {
    demandAdmin(origin);
    const { cooldownSeconds, concurrentMax, ageRestrictedOnly } = change;
    demandRange('cooldown', cooldownSeconds, 0, COOLDOWN_SECONDS_MAX);
    demandRange('number of jobs at once', concurrentMax, 1, CONCURRENT_JOBS_MAX);
    await this.#put(origin, {
      ...(cooldownSeconds === undefined ? {} : { cooldown_seconds: cooldownSeconds }),
      ...(concurrentMax === undefined ? {} : { concurrent_max: concurrentMax }),
      ...(ageRestrictedOnly === undefined
        ? {}
        : { age_restricted_only: ageRestrictedOnly === null ? null : Number(ageRestrictedOnly) }),
    });
  }

  /** Sets the channel for reports; null removes it. */
  async reportTo(origin: CallOrigin, channelId: string | null): Promise<void> {
    demandAdmin(origin);
    await this.#put(origin, { reports_channel_id: channelId });
  }

  async reportsChannelOf(guildId: string): Promise<string | null> {
    return (await findGuildRules(this.#db.kysely, guildId))?.reports_channel_id ?? null;
  }

  async #refusesSession(by: CallOrigin, capability: string): Promise<AccessRefusal | null> {
    const rules = await this.#rules(this.#db.kysely, by.guildId);
    return brokenRule(rules, { ...by, capability }, this.#namesOf(by.userId));
  }

  /**
   * Returns the names by which rows may refer to a member: the id, and the pseudonym that replaces it after a deletion.
   */
  #namesOf(userId: string): readonly string[] {
    return [userId, this.pseudonymOf(userId)];
  }

  async #put(origin: CallOrigin, changes: Partial<GuildRulesRow>): Promise<void> {
    await putGuildRules(this.#db.kysely, {
      ...changes,
      guild_id: origin.guildId,
      updated_at_ms: this.#clock.now(),
    });
  }

  async #rules(db: Queryable, guildId: string, known?: GuildRulesRow): Promise<Rules> {
    const row = known ?? (await findGuildRules(db, guildId));
    const entries = await listRuleEntries(db, guildId, ENTRIES_MAX);
    const ageRestricted = row?.age_restricted_only ?? null;
    return {
      cooldownSeconds: row?.cooldown_seconds ?? this.#defaults.cooldownSeconds,
      concurrentMax: row?.concurrent_max ?? this.#defaults.concurrentMax,
      ageRestrictedOnly: ageRestricted === null ? this.#defaults.ageRestrictedOnly : ageRestricted === 1,
      entries: entries.map(({ kind, target, effect }) => ({ kind, target, effect })),
    };
  }
}

function demandAdmin(origin: CallOrigin): void {
  if (origin.isAdmin) return;
  throw new AccessError(
    'not_admin',
    'Only members who may manage the server can see and change these rules.',
  );
}

function demandRange(what: string, value: number | null | undefined, min: number, max: number): void {
  if (value === undefined || value === null) return;
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new AccessError('out_of_range', `The ${what} must be a whole number from ${min} to ${max}.`);
}
