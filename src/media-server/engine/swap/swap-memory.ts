import type { BlendFields } from './blend-face.ts';
import type { BlendPlan } from './blend-plan.ts';
import type { CoarseGrid } from './coarse-grid.ts';
import type { ColourMatch } from './colour-match.ts';

/** The delay with which light and colour follow those of the current frame, so that they do not flicker. */
const DELAY_SECONDS = 0.12;
/** A change of the light by at least this amount (natural logarithm of the ratio) is followed at once. */
const LIGHT_CHANGE_MAX = 0.25;
/**
 * The detail in use stays the same until the wanted detail differs from it by this factor; otherwise the face would
 * flicker between sharp and soft.
 */
const DETAIL_CHANGE_MIN = 1.2;
/** With this delay, a quick movement that blurs the picture is over before the detail follows. */
const DETAIL_DELAY_SECONDS = 0.4;
const STEADIED = ['light', 'luma', 'cb', 'cr'] as const satisfies (keyof BlendFields)[];

interface Remembered {
  readonly plan: BlendPlan;
  readonly grid: CoarseGrid;
  readonly seconds: number;
}

/** The colour, light and detail of a swap in the previous frames, for one face in one clip. */
export class SwapMemory {
  #last: Remembered | undefined;
  #wanted: { readonly detail: number; readonly seconds: number } | undefined;
  #detail = 0;

  /** Clears the memory. Call it when another face or scene begins. */
  reset(): void {
    this.#last = undefined;
    this.#wanted = undefined;
    this.#detail = 0;
  }

  /**
   * Returns the detail of the new face at `seconds`, in pixels between its eyes. It stays the same from frame to frame,
   * until the wanted detail has been clearly different for several frames.
   */
  steadyDetail(wanted: number, seconds: number): number {
    const last = this.#wanted;
    const share = last ? 1 - Math.exp(Math.min(0, last.seconds - seconds) / DETAIL_DELAY_SECONDS) : 1;
    const detail = last ? last.detail + share * (wanted - last.detail) : wanted;
    this.#wanted = { detail, seconds };
    const off = Math.max(detail / this.#detail, this.#detail / detail);
    if (!(off < DETAIL_CHANGE_MIN)) this.#detail = detail;
    return this.#detail;
  }

  /**
   * Returns the plan for the frame at `seconds`, smoothed with the previous frame's plan, and stores it for the next
   * frame.
   */
  steady(plan: BlendPlan, grid: CoarseGrid, seconds: number): BlendPlan {
    const last = this.#last;
    let steadied = plan;
    if (last && seconds > last.seconds) {
      const share = 1 - Math.exp((last.seconds - seconds) / DELAY_SECONDS);
      const jump = Math.abs(Math.log((plan.match.curve[128] ?? 1) / (last.plan.match.curve[128] ?? 1)));
      if (jump < LIGHT_CHANGE_MAX) steadied = mixed(last, plan, grid, share);
    }
    this.#last = { plan: steadied, grid, seconds };
    return steadied;
  }
}

function mixed(last: Remembered, plan: BlendPlan, grid: CoarseGrid, share: number): BlendPlan {
  const fields = { ...plan.fields };
  for (const name of STEADIED) {
    const before = resampled(last.plan.fields[name], last.grid, grid);
    fields[name] = plan.fields[name].map((value, n) => (before[n] ?? 0) + share * (value - (before[n] ?? 0)));
  }
  const eyeGain = last.plan.eyeGain + share * (plan.eyeGain - last.plan.eyeGain);
  return { fields, match: mixedMatch(last.plan.match, plan.match, share), eyeGain };
}

function mixedMatch(last: ColourMatch, now: ColourMatch, share: number): ColourMatch {
  const mix = (a: number, b: number): number => a + share * (b - a);
  return {
    eyeWhiteLuma: mix(last.eyeWhiteLuma, now.eyeWhiteLuma),
    curve: now.curve.map((value, n) => mix(last.curve[n] ?? value, value)),
    chromaGain: mix(last.chromaGain, now.chromaGain),
    eyeChroma: mix(last.eyeChroma, now.eyeChroma),
    from: { cb: mix(last.from.cb, now.from.cb), cr: mix(last.from.cr, now.from.cr) },
    to: { cb: mix(last.to.cb, now.to.cb), cr: mix(last.to.cr, now.to.cr) },
  };
}

/** Resamples a field from the previous frame's grid to the current frame's grid. Both grids cover the same face. */
function resampled(field: Float32Array, from: CoarseGrid, to: CoarseGrid): Float32Array {
  if (from.columns === to.columns && from.rows === to.rows) return field;
  const out = new Float32Array(to.columns * to.rows);
  for (let row = 0, n = 0; row < to.rows; row++) {
    const y = Math.min(from.rows - 1, Math.floor(((row + 0.5) * from.rows) / to.rows));
    for (let column = 0; column < to.columns; column++, n++) {
      const x = Math.min(from.columns - 1, Math.floor(((column + 0.5) * from.columns) / to.columns));
      out[n] = field[y * from.columns + x] ?? 0;
    }
  }
  return out;
}
