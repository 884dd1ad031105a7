import type { Database } from '../../../../db/database.ts';
import {
  deleteBudgetManager,
  findBudgetSettings,
  listBudgetManagers,
  putBudgetManager,
  putBudgetSettings,
} from '../../../../db/queries/budget-settings.ts';
import { releaseAlerts } from '../../../../db/queries/budget-alerts.ts';
import { releaseOverrunAlerts } from '../../../../db/queries/overrun-alerts.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import { DOLLARS_MAX } from '../../../base/read-dollars.ts';
import { type MicroUsd, formatUsd } from '../../../base/money.ts';
import { timeZoneNamed } from '../../../base/time-zone.ts';
import { BudgetError } from './budget-error.ts';
import { calendarOf, lengthenedPeriods } from '../caps/cap-calendar.ts';
import { noteZoneChange } from '../caps/note-zone-change.ts';
import { slotOf } from '../caps/slot-of.ts';
import type { BudgetCaller } from './budget-caller.ts';
import type { BudgetSettingsChange, GuildBudgetSettings } from './guild-budget-settings.ts';

const MANAGERS_MAX = 20;

/** Decides who may change a guild's budgets, and stores the other money settings that its admins choose. */
export class BudgetRules {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #timeZone: string;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly timeZone: string }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#timeZone = options.timeZone;
  }

  async settings(db: Queryable, guildId: string): Promise<GuildBudgetSettings> {
    const row = await findBudgetSettings(db, guildId);
    const calendar = await calendarOf(db, guildId, this.#timeZone);
    return {
      lengthened: lengthenedPeriods(calendar, slotOf(this.#clock.now())),
      timeZone: row?.time_zone ?? this.#timeZone,
      operatorTimeZone: this.#timeZone,
      confirmAbove: row?.confirm_above_micros ?? null,
      alertsChannelId: row?.alerts_channel_id ?? null,
      voiceRenewal: row?.voice_renewal === 1,
      managerRoleIds: await listBudgetManagers(db, guildId, MANAGERS_MAX),
    };
  }

  /** Whether the guild's voice sessions are renewed automatically. */
  async renewsVoice(guildId: string): Promise<boolean> {
    return (await findBudgetSettings(this.#db.kysely, guildId))?.voice_renewal === 1;
  }

  async isManager(db: Queryable, by: BudgetCaller): Promise<boolean> {
    if (by.isAdmin) return true;
    const managers = await listBudgetManagers(db, by.guildId, MANAGERS_MAX);
    return managers.some((roleId) => by.roleIds.includes(roleId));
  }

  /**
   * Throws `BudgetError` (`not_manager`) unless the caller may manage budgets. The error message names the roles that
   * may manage them.
   */
  async demandManager(db: Queryable, by: BudgetCaller): Promise<void> {
    if (await this.isManager(db, by)) return;
    const managers = await listBudgetManagers(db, by.guildId, MANAGERS_MAX);
    const roles = managers.map((roleId) => `<@&${roleId}>`).join(', ');
    throw new BudgetError(
      'not_manager',
      `Only members who may manage the server${roles === '' ? '' : `, or have one of these roles: ${roles},`} can ` +
        'do that. See what counts for you with `/budget show`.',
    );
  }

  /** Changes the given settings. `also` runs in the same transaction, after the change. */
  async change(
    by: BudgetCaller,
    change: BudgetSettingsChange,
    also?: (trx: Trx) => Promise<void>,
  ): Promise<GuildBudgetSettings> {
    const { confirmAbove, alertsChannelId, voiceRenewal } = change;
    const timeZone = typeof change.timeZone === 'string' ? demandZone(change.timeZone) : change.timeZone;
    if (typeof confirmAbove === 'number') demandThreshold(confirmAbove);
    return this.#db.transaction(`guild:${by.guildId}`, async (trx) => {
      await this.demandManager(trx, by);
      if (timeZone !== undefined) await this.#noteZone(trx, by.guildId, timeZone);
      await putBudgetSettings(trx, by.guildId, {
        ...(timeZone === undefined ? {} : { time_zone: timeZone }),
        ...(confirmAbove === undefined ? {} : { confirm_above_micros: confirmAbove }),
        ...(alertsChannelId === undefined ? {} : { alerts_channel_id: alertsChannelId }),
        ...(voiceRenewal === undefined
          ? {}
          : { voice_renewal: voiceRenewal === null ? null : Number(voiceRenewal) }),
      });
      if (typeof alertsChannelId === 'string') {
        await releaseAlerts(trx, by.guildId, this.#clock.now());
        await releaseOverrunAlerts(trx, by.guildId, this.#clock.now());
      }
      await also?.(trx);
      return this.settings(trx, by.guildId);
    });
  }

  async addManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    demandAdmin(by);
    if (roleId === by.guildId) {
      throw new BudgetError('everybody', 'Everybody has that role. Choose one that only some members have.');
    }
    return this.#db.transaction(`guild:${by.guildId}`, async (trx) => {
      const managers = await listBudgetManagers(trx, by.guildId, MANAGERS_MAX);
      if (!managers.includes(roleId) && managers.length >= MANAGERS_MAX) {
        throw new BudgetError(
          'too_many',
          `There are ${MANAGERS_MAX} roles already. Take one back first with \`/budget managers remove\`.`,
        );
      }
      await putBudgetManager(trx, by.guildId, roleId);
      return this.settings(trx, by.guildId);
    });
  }

  async removeManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    demandAdmin(by);
    return this.#db.transaction(`guild:${by.guildId}`, async (trx) => {
      await deleteBudgetManager(trx, by.guildId, roleId);
      return this.settings(trx, by.guildId);
    });
  }

  async #noteZone(trx: Trx, guildId: string, timeZone: string | null): Promise<void> {
    await noteZoneChange(trx, {
      guildId,
      timeZone: timeZone ?? this.#timeZone,
      operatorZone: this.#timeZone,
      nowMs: this.#clock.now(),
    });
  }
}

function demandAdmin(by: BudgetCaller): void {
  if (by.isAdmin) return;
  throw new BudgetError(
    'not_admin',
    'Only members who may manage the server can choose which roles manage the budget.',
  );
}

function demandZone(text: string): string {
  const name = timeZoneNamed(text);
  if (name !== undefined) return name;
  throw new BudgetError(
    'unknown_zone',
    'There is no time zone of that name. Pick one from the list that shows while you type, such as `Europe/Berlin`.',
  );
}

function demandThreshold(amount: MicroUsd): void {
  if (amount >= 0 && amount <= DOLLARS_MAX) return;
  throw new BudgetError(
    'out_of_range',
    `An amount must be between **$0.00** and **${formatUsd(DOLLARS_MAX)}**.`,
  );
}
