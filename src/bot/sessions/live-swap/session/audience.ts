import { randomKey } from '../../../../base/ids.ts';
import { FrameLane } from './frame-lane.ts';
import type { LiveViewer, LiveWatch } from '../live-viewer.ts';

type Phase = LiveWatch['phase'];

interface Place {
  readonly viewer: LiveViewer;
  readonly lane: FrameLane;
}

/** The viewers of a session's output. Each viewer receives the newest pictures, as fast as their page accepts them. */
export class Audience {
  readonly #limits: { readonly viewersMax: number; readonly aheadMax: number };
  readonly #onChange: () => void;
  readonly #places = new Set<Place>();
  #key: string | null = null;
  #phase: Phase = 'waiting';

  constructor(
    limits: { readonly viewersMax: number; readonly aheadMax: number },
    /** Called when a viewer arrives or leaves. */
    onChange: () => void,
  ) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#places.size;
  }

  /** The key in the output's URL; null if the output has no URL. */
  get key(): string | null {
    return this.#key;
  }

  /** Replaces the output's URL and returns the key of the new URL. */
  share(): string {
    this.unshare();
    this.#key = randomKey();
    return this.#key;
  }

  unshare(): void {
    this.#key = null;
    this.#closeAll('not_good');
  }

  /** Connects a viewer. Returns null if there are as many viewers as allowed. */
  watch(viewer: LiveViewer): LiveWatch | null {
    if (this.#places.size >= this.#limits.viewersMax) return null;
    const lane = new FrameLane((frame, onSent) => viewer.send(frame, onSent), this.#limits.aheadMax);
    const place = { viewer, lane };
    this.#places.add(place);
    this.#onChange();
    return {
      phase: this.#phase,
      answered: () => lane.answered(),
      leave: () => {
        if (this.#places.delete(place)) this.#onChange();
      },
    };
  }

  become(phase: Phase): void {
    this.#phase = phase;
    for (const { viewer, lane } of this.#places) {
      if (phase !== 'live') lane.clear();
      viewer.changed(phase);
    }
  }

  show(frame: Buffer): void {
    for (const { lane } of this.#places) lane.push(frame);
  }

  /** Closes the output for good; viewers can no longer connect. */
  end(why: 'over' | 'shutdown'): void {
    this.#key = null;
    this.become('ended');
    this.#closeAll(why);
  }

  #closeAll(why: Parameters<LiveViewer['close']>[0]): void {
    for (const place of this.#places) {
      this.#places.delete(place);
      place.viewer.close(why);
    }
  }
}
