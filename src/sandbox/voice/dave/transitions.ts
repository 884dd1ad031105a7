import type { Clock, Timer } from '../../../base/clock.ts';
import { type DaveClient, DAVE_OPCODES } from './dave-frames.ts';

/** The id of the transition to the first group, which is executed at once, because there are no earlier keys. */
export const FIRST_TRANSITION = 0;
/** How long the voice server waits for clients that do not report that they are ready. */
export const TRANSITION_TIMEOUT_MS = 2_000;

interface Transition {
  readonly id: number;
  readonly told: Set<DaveClient>;
  readonly awaited: Set<DaveClient>;
  timer: Timer;
}

/** Announced transitions. Each is executed once all its clients are ready, or after the timeout. */
export class Transitions {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #executeDelayMs: () => number;
  readonly #pending = new Map<number, Transition>();
  #lastId = 0;

  /** `executeDelayMs` returns the wait before each execution in milliseconds. */
  constructor(clock: Pick<Clock, 'after'>, executeDelayMs: () => number) {
    this.#clock = clock;
    this.#executeDelayMs = executeDelayMs;
  }

  /** Starts a transition for these clients and returns its id: 1 to 65,535, then 1 again. */
  begin(clients: Iterable<DaveClient>): number {
    const id = (this.#lastId % 0xffff) + 1;
    this.#lastId = id;
    const told = new Set(clients);
    const timer = this.#clock.after(TRANSITION_TIMEOUT_MS, () => this.#conclude(transition), {
      background: true,
    });
    const transition: Transition = { id, told, awaited: new Set(told), timer };
    this.#pending.set(id, transition);
    return id;
  }

  /** Records that a client is ready for a transition. Unknown ids are ignored. */
  ready(client: DaveClient, id: number): void {
    const transition = this.#pending.get(id);
    if (transition?.awaited.delete(client) && transition.awaited.size === 0) this.#conclude(transition);
  }

  /**
   * Removes a client from one transition, or from all of them. The voice server then neither waits for the client nor
   * sends it anything about them.
   */
  release(client: DaveClient, id?: number): void {
    for (const transition of this.#pending.values()) {
      if (id !== undefined && transition.id !== id) continue;
      transition.told.delete(client);
      if (transition.awaited.delete(client) && transition.awaited.size === 0) this.#conclude(transition);
    }
  }

  /** Executes all pending transitions in order, before an event that must come after them. */
  executeAll(): void {
    for (const transition of this.#pending.values()) this.#execute(transition);
  }

  clear(): void {
    for (const { timer } of this.#pending.values()) timer.cancel();
    this.#pending.clear();
  }

  #conclude(transition: Transition): void {
    transition.timer.cancel();
    const delayMs = this.#executeDelayMs();
    if (delayMs === 0) return this.#execute(transition);
    transition.timer = this.#clock.after(delayMs, () => this.#execute(transition), { background: true });
  }

  #execute(transition: Transition): void {
    transition.timer.cancel();
    this.#pending.delete(transition.id);
    for (const client of transition.told) {
      client.send({ op: DAVE_OPCODES.executeTransition, d: { transition_id: transition.id } });
    }
  }
}
