import { unreachable } from '../../../../src/base/errors.ts';
import { type Window, windowAt } from '../../../../src/bot/money/caps/window.ts';
import { ModelWindows } from '../caps/model-windows.ts';
import { type ModelHold, isOpen, newHold, post, usedWithin } from './model-hold.ts';
import { type CapCommandKey, type LedgerCommand, ROLES, USERS } from './commands.ts';

export const USUAL = { limit: 150, period: 'day', zone: 'UTC' } as const;

export interface ModelCap extends Omit<CapCommandKey, 'target'> {
  readonly target: CapCommandKey['target'] | 'default';
  readonly limit: number;
}

/**
 * A model of a guild's books. It has only holds and caps, and adds up all holds by their exact times, without entries,
 * accounts, meters or slots.
 */
export class LedgerModel {
  readonly holds: Map<string, ModelHold> = new Map();
  readonly #caps = new Map<string, ModelCap>();
  readonly #windows = new ModelWindows(USUAL.zone);
  /** Results are cached, because using a calendar takes longer than everything else here. */
  readonly #operators = new Map<string, Window>();

  /**
   * Applies a command. Returns null if it succeeds, the caps that do not allow it, or an empty list if its subject has
   * no open hold.
   */
  apply(command: LedgerCommand, nowMs: number): readonly ModelCap[] | null {
    switch (command.kind) {
      case 'hold':
        return this.#hold(command, nowMs);
      case 'cap':
        this.#setCap(command.key, command.limit);
        return null;
      case 'zone':
        this.#windows.change(command.zone ?? USUAL.zone, nowMs);
        return null;
      case 'pass':
      case 'repeat':
        return null;
      case 'resize':
      case 'post':
      case 'void':
      case 'review':
        return this.#change(command, nowMs);
      default:
        return unreachable(command);
    }
  }

  #change(
    command: Extract<LedgerCommand, { kind: 'resize' | 'post' | 'void' | 'review' }>,
    nowMs: number,
  ): readonly ModelCap[] | null {
    const hold = this.holds.get(command.subject);
    if (!hold) return [];
    if (command.kind === 'resize') return this.#resize(hold, command.amount);
    if (command.kind === 'post') post(hold, command.charged, nowMs - command.agoMs);
    else if (isOpen(hold)) hold.state = command.kind === 'void' ? 'voided' : 'review';
    return null;
  }

  /** Returns the guild's caps that apply to a member with these roles, for one capability or for all. */
  capsFor(userId: string, roleIds: readonly string[], capability?: string): ModelCap[] {
    const caps = [...this.#caps.values()];
    const hasOwn = caps.some((cap) => cap.target === 'guild' && cap.capability === '');
    const all = hasOwn ? caps : [...caps, { ...USUAL, target: 'default' as const, capability: '' as const }];
    const names: readonly string[] = ['operator', 'guild', 'default', userId, ...roleIds];
    return all.filter(
      (cap) =>
        names.includes(cap.target) &&
        (capability === undefined || cap.capability === '' || cap.capability === capability),
    );
  }

  /**
   * Returns the used amount of a cap in the window that contains `atMs`. Counts all members, or only this member if the
   * cap is a role's or a member's.
   */
  usedOf(cap: ModelCap, userId: string, atMs: number): number {
    const { startsAtMs: fromMs, endsAtMs } = this.#windowOf(cap, atMs);
    const of = { capability: cap.capability, userId: isOfMember(cap) ? userId : null };
    return usedWithin(this.holds.values(), { fromMs, endsAtMs, ...of });
  }

  /** Returns the subject, state, amount, charge and overrun of every hold, ordered by subject. */
  rows(): unknown[][] {
    return [...this.holds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([subject, hold]) => [subject, hold.state, hold.amount, hold.charged, hold.overrun]);
  }

  /** For each member, returns how much of each cap is used, as if the member had all roles. */
  standing(nowMs: number): ReadonlySet<string>[] {
    return USERS.map((userId) => {
      const caps = this.capsFor(userId, ROLES);
      return new Set(caps.map((cap) => `${nameOf(cap)}: ${this.usedOf(cap, userId, nowMs)} of ${cap.limit}`));
    });
  }

  #windowOf({ period, target }: ModelCap, atMs: number): Window {
    if (target !== 'operator' && target !== 'default') return this.#windows.at(period, atMs);
    const name = `${period} ${atMs}`;
    const window = this.#operators.get(name) ?? windowAt(period, USUAL.zone, atMs);
    this.#operators.set(name, window);
    return window;
  }

  #setCap(key: CapCommandKey, limit: number | null): void {
    const name = `${key.target} ${key.capability} ${key.period}`;
    if (limit === null) this.#caps.delete(name);
    else this.#caps.set(name, { ...key, limit });
  }

  #hold(command: LedgerCommand & { kind: 'hold' }, nowMs: number): readonly ModelCap[] | null {
    if (this.holds.has(command.subject)) return null;
    const { userId, capability, amount } = command;
    const caps = this.capsFor(userId, command.roleIds, capability);
    const full = caps.filter((cap) => this.usedOf(cap, userId, nowMs) + amount > cap.limit);
    if (full.length > 0) return full;
    const roleIds = command.roleIds.filter((id) => caps.some(({ target }) => target === id));
    this.#windows.meet(nowMs);
    this.holds.set(command.subject, newHold({ atMs: nowMs, userId, capability, roleIds, amount }));
    return null;
  }

  #resize(hold: ModelHold, amount: number): readonly ModelCap[] | null {
    if (hold.state !== 'pending') return null;
    const more = amount - hold.amount;
    const caps = this.capsFor(hold.userId, hold.roleIds, hold.capability);
    const full = caps.filter((cap) => this.usedOf(cap, hold.userId, hold.atMs) + more > cap.limit);
    if (more > 0 && full.length > 0) return full;
    hold.amount = amount;
    return null;
  }
}

function isOfMember({ target }: ModelCap): boolean {
  const names: readonly string[] = [...ROLES, ...USERS];
  return names.includes(target);
}

/** Returns the name of a cap, which is the same in the model and the ledger. */
export function nameOf(cap: {
  readonly target: string;
  readonly capability: string;
  readonly period: string;
}): string {
  return `${cap.target} ${cap.capability} ${cap.period}`;
}
