import { type ReadonlySignal, type Signal, computed, effect, signal, untracked } from '@preact/signals';
import type { PageWireEntry } from '../../wire-views.ts';
import type { PageEvent } from '../../page-wire.ts';
import { remove } from '../live/control.ts';
import type { LiveSocket } from '../live/live-socket.ts';
import { remembered } from '../store/remembered.ts';
import { type WireGroup, groupWire } from './wire-groups.ts';
import { SOURCE_NAMES, type WireSource } from './wire-sources.ts';

/** The maximum number of entries to keep. The sandbox keeps the same number. */
const KEPT_MAX = 500;

/** The entries of the wire panel, newest last, received while the panel is open. */
export class WireBook {
  readonly hidden: Signal<readonly WireSource[]> = remembered('wire-hidden', parseHidden);
  readonly part: Signal<'wire' | 'faults'> = remembered('wire-part', (kept) =>
    kept === 'faults' ? 'faults' : 'wire',
  );
  /** The number of entries that were dropped because the page was too slow. */
  readonly missed: Signal<number> = signal(0);
  /** While true, the panel shows no new entries, so that it can be read. */
  readonly isHeld: Signal<boolean> = signal(false);
  readonly groups: ReadonlySignal<readonly WireGroup[]>;
  readonly #entries = signal<readonly PageWireEntry[]>([]);
  readonly #held = signal<readonly PageWireEntry[]>([]);

  readonly #live: LiveSocket;

  constructor(live: LiveSocket) {
    this.#live = live;
    this.groups = computed(() => {
      const shown = new Set(SOURCE_NAMES.filter((name) => !this.hidden.value.includes(name)));
      return groupWire(this.isHeld.value ? this.#held.value : this.#entries.value, shown);
    });
    live.listen((event) => this.#take(event));
    // After a reconnection, the page receives all kept entries again, possibly from a restarted sandbox.
    effect(() => {
      if (live.status.value !== 'open') untracked(() => this.forget());
    });
  }

  /** Subscribes to entries until the returned function is called. */
  watch(): () => void {
    this.forget();
    this.#live.ask({ t: 'watch_wire', on: true });
    return () => this.#live.ask({ t: 'watch_wire', on: false });
  }

  toggle(source: WireSource): void {
    const { value } = this.hidden;
    this.hidden.value = value.includes(source) ? value.filter((name) => name !== source) : [...value, source];
  }

  hold(isHeld: boolean): void {
    this.#held.value = this.#entries.value;
    this.isHeld.value = isHeld;
  }

  /** Deletes the entries here and in the sandbox. Throws `ControlError`. */
  async empty(): Promise<void> {
    await remove('/wire');
    this.forget();
  }

  /** Deletes the entries shown here. */
  forget(): void {
    this.#entries.value = [];
    this.#held.value = [];
    this.missed.value = 0;
  }

  #take(event: PageEvent): void {
    if (event.t !== 'wire') return;
    const known = this.#entries.value;
    const lastId = known.at(-1)?.id ?? 0;
    const added = event.entries.filter(({ id }) => id > lastId);
    this.#entries.value = [...known, ...added].slice(-KEPT_MAX);
    this.missed.value += event.missed;
  }
}

function parseHidden(kept: unknown): readonly WireSource[] {
  return Array.isArray(kept) ? SOURCE_NAMES.filter((name) => kept.includes(name)) : [];
}
