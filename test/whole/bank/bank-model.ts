import { unreachable } from '../../../src/base/errors.ts';
import { windowAt } from '../../../src/bot/money/caps/window.ts';
import { type ModelHold, isOpen, newHold, post, usedWithin } from '../../bot/money/ledger/model-hold.ts';
import { ModelWindows } from '../../bot/money/caps/model-windows.ts';
import type { JournalCap, Note } from './journal.ts';
import { ALLOWANCE, DEFAULT_BUDGET, OPERATOR_ZONE } from './terms.ts';

type ModelCap = Omit<JournalCap, 'kind'> & { readonly kind: JournalCap['kind'] | 'default' };

/**
 * A guild's books, recomputed from the journal. The model knows only holds, caps and windows; a member stays the same
 * member however many times their data is removed. `problems` lists holds that exceed a cap.
 */
export class BankModel {
  readonly holds: Map<string, ModelHold> = new Map();
  readonly problems: string[] = [];
  readonly #caps = new Map<string, JournalCap>();
  readonly #windows = new ModelWindows(OPERATOR_ZONE);
  readonly #userOf: (name: string) => string;

  /** `userOf` returns the member behind a pseudonym, and any other name unchanged. */
  constructor(userOf: (name: string) => string) {
    this.#userOf = userOf;
  }

  apply(note: Note): void {
    switch (note.kind) {
      case 'cap':
        if (note.before) this.#caps.delete(nameOf(note.before));
        if (note.after) this.#caps.set(nameOf(note.after), note.after);
        return;
      case 'zone':
        return this.#windows.change(note.zone, note.atMs);
      case 'hold':
        return this.#hold(note);
      case 'resize':
      case 'post':
      case 'void':
      case 'review':
        return this.#change(note);
      default:
        return unreachable(note);
    }
  }

  /** Returns subject, state, amount, charge and overrun of every hold, sorted by subject. */
  rows(): string[] {
    return [...this.holds]
      .map(([subject, { state, amount, charged, overrun }]) =>
        [subject, state, amount, charged, overrun].join(' '),
      )
      .toSorted();
  }

  #hold(note: Extract<Note, { kind: 'hold' }>): void {
    const { subject, userId, roleIds, capability, amount, atMs } = note;
    this.#windows.meet(atMs);
    const hold = newHold({ userId, roleIds, capability, atMs, amount });
    this.holds.set(subject, hold);
    this.#check(subject, hold, false);
  }

  #change(note: Extract<Note, { kind: 'resize' | 'post' | 'void' | 'review' }>): void {
    const hold = this.holds.get(note.subject);
    if (!hold) {
      this.problems.push(`${note.kind} of ${note.subject}, which was never held`);
      return;
    }
    if (note.kind === 'post') return post(hold, note.charged, note.asOfMs);
    if (note.kind === 'resize') {
      if (hold.state !== 'pending') return;
      const isMore = note.amount > hold.amount;
      hold.amount = note.amount;
      if (isMore) this.#check(note.subject, hold, note.isGone);
    } else if (note.kind === 'void' && isOpen(hold)) hold.state = 'voided';
    else if (note.kind === 'review' && hold.state === 'pending') hold.state = 'review';
  }

  /**
   * Checks that a granted hold exceeds no cap. If the member's data was removed, only caps that apply to everyone are
   * checked.
   */
  #check(subject: string, hold: ModelHold, isGone: boolean): void {
    for (const cap of this.#capsOf(hold)) {
      const isOfMember = cap.kind === 'role' || cap.kind === 'member';
      if (isGone && isOfMember) continue;
      const used = this.#usedOf(cap, hold);
      if (used > cap.limit) {
        this.problems.push(
          `${subject}: ${used} of ${cap.limit} used of ${cap.kind} ${cap.target} ${cap.period}`,
        );
      }
    }
  }

  #capsOf({ userId, roleIds, capability }: ModelHold): ModelCap[] {
    const own = [...this.#caps.values()];
    const hasOwn = own.some(({ kind, capability: what }) => kind === 'guild' && what === '');
    const everything = { target: '', capability: '' };
    const operators: ModelCap[] = [
      { kind: 'operator', ...everything, ...ALLOWANCE },
      ...(hasOwn ? [] : [{ kind: 'default', ...everything, ...DEFAULT_BUDGET } as const]),
    ];
    return [...operators, ...own].filter(
      (cap) =>
        (cap.capability === '' || cap.capability === capability) &&
        (cap.kind !== 'role' || roleIds.includes(cap.target)) &&
        (cap.kind !== 'member' || this.#userOf(cap.target) === userId),
    );
  }

  #usedOf(cap: ModelCap, { userId, atMs }: ModelHold): number {
    const isOfMember = cap.kind === 'role' || cap.kind === 'member';
    const isOperators = cap.kind === 'operator' || cap.kind === 'default';
    const window = isOperators
      ? windowAt(cap.period, OPERATOR_ZONE, atMs)
      : this.#windows.at(cap.period, atMs);
    // A change of time zone may move the start of a window back. A member's cap still counts from the original start,
    // because earlier use may no longer be linked to its member.
    const fromMs = isOfMember && 'fromMs' in window ? Number(window.fromMs) : window.startsAtMs;
    const of = { capability: cap.capability, userId: isOfMember ? userId : null };
    return usedWithin(this.holds.values(), { fromMs, endsAtMs: window.endsAtMs, ...of });
  }
}

function nameOf({ kind, target, capability, period }: JournalCap): string {
  return [kind, target, capability, period].join(' ');
}
