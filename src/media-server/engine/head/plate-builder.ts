import type { Pixels } from '../pixels.ts';
import { type CoarseGrid, averageCells, blurField } from '../swap/coarse-grid.ts';
import { smoothStep } from '../smooth-step.ts';
import { FieldReader, grownField } from './field-reader.ts';
import { headWithoutNeck } from './erase-head.ts';
import { inpaintCells, layersOf } from './inpaint-cells.ts';
import type { Neck } from './neck.ts';
import { type PersonParts, backgroundOf } from './person-parts.ts';

/**
 * The number of cells along the longer side of the grid on which the areas that were never visible are
 * inpainted.
 */
const CELLS_MAX = 160;
/** Within this distance of a head, in eye distances, pixels may contain parts of the head. */
const HEAD_MARGIN = 0.22;
const MEMORY_MAX = 40;
/** Enough iterations for the inpainted area to join the visible area without an edge. */
const RELAXATIONS = 160;
/** The distance over which the difference between the visible and the inpainted area is smoothed. */
const SEAM_CELLS = 2;

/**
 * Builds the background plate of a clip: background and body without the head. Pixels are taken from frames in which
 * the head was elsewhere; those that no frame shows are inpainted from their surroundings. Uses 17 bytes per pixel.
 */
export class PlateBuilder {
  readonly #width: number;
  readonly #height: number;
  readonly #sums: Float32Array;
  readonly #seen: Uint8Array;
  /** The background, body and neck layers. */
  readonly #layers: readonly [Float32Array, Float32Array, Float32Array];
  readonly #cellsSeen: Uint32Array;
  readonly #grid: CoarseGrid;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#sums = new Float32Array(width * height * 3);
    this.#seen = new Uint8Array(width * height);
    const cell = Math.max(1, Math.ceil(Math.max(width, height) / CELLS_MAX));
    const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
    this.#grid = { area: { x: 0, y: 0, width, height }, cell, columns, rows };
    const layer = (): Float32Array => new Float32Array(columns * rows);
    this.#layers = [layer(), layer(), layer()];
    this.#cellsSeen = new Uint32Array(columns * rows);
  }

  /** Adds the pixels of `picture` that the head does not cover. */
  add(picture: Pixels, parts: PersonParts, neck: Neck, eyeDistance: number): void {
    const { area, cell } = parts.grid;
    const taken = grownField(
      headWithoutNeck(parts, neck),
      parts.grid,
      Math.ceil((HEAD_MARGIN * eyeDistance) / cell) + 1,
    );
    const reader = new FieldReader(parts.grid);
    const line = new Float32Array(area.width);
    for (let y = 0, n = 0; y < this.#height; y++) {
      const isBeside = y >= area.y && y < area.y + area.height;
      if (isBeside) {
        reader.row(y - area.y);
        reader.read(taken, line);
      }
      for (let x = 0; x < this.#width; x++, n++) {
        const column = x - area.x;
        if (isBeside && column >= 0 && column < area.width && (line[column] ?? 0) > 0.1) continue;
        this.#learn(picture, n);
      }
    }
    this.#learnLayers(parts, neck, taken);
  }

  /** Returns the finished plate. Alpha is 255 for visible pixels and 128 for inpainted ones. */
  finish(): Pixels {
    const [width, height] = [this.#width, this.#height];
    const data = new Uint8Array(width * height * 4);
    for (let n = 0; n < this.#seen.length; n++) {
      if (this.#seen[n] === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        data[n * 4 + channel] = (this.#sums[n * 3 + channel] ?? 0) + 0.5;
      }
      data[n * 4 + 3] = 255;
    }
    const plate = { width, height, data };
    this.#makeUp(plate);
    return plate;
  }

  #learn({ data }: Pixels, n: number): void {
    const count = Math.min(MEMORY_MAX, (this.#seen[n] ?? 0) + 1);
    this.#seen[n] = count;
    const sums = this.#sums;
    const [at, to, weight] = [n * 4, n * 3, 1 / count];
    const [red, green, blue] = [sums[to] ?? 0, sums[to + 1] ?? 0, sums[to + 2] ?? 0];
    sums[to] = red + weight * ((data[at] ?? 0) - red);
    sums[to + 1] = green + weight * ((data[at + 1] ?? 0) - green);
    sums[to + 2] = blue + weight * ((data[at + 2] ?? 0) - blue);
  }

  /** Records what each cell shows, averaged over the frames in which the head was elsewhere. */
  #learnLayers(parts: PersonParts, { skin }: Neck, taken: Float32Array): void {
    const { area, cell, columns, rows } = this.#grid;
    const from = parts.grid;
    const background = backgroundOf(parts);
    const [behind, body, neck] = this.#layers;
    for (let row = 0, n = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, n++) {
        const x = Math.floor(((column + 0.5) * cell + area.x - from.area.x) / from.cell);
        const y = Math.floor(((row + 0.5) * cell + area.y - from.area.y) / from.cell);
        const isBeside = x >= 0 && y >= 0 && x < from.columns && y < from.rows;
        const at = y * from.columns + x;
        if (isBeside && (taken[at] ?? 0) > 0.1) continue;
        const count = (this.#cellsSeen[n] ?? 0) + 1;
        this.#cellsSeen[n] = count;
        behind[n] = (behind[n] ?? 0) + ((isBeside ? (background[at] ?? 0) : 1) - (behind[n] ?? 0)) / count;
        body[n] = (body[n] ?? 0) + ((isBeside ? (parts.body[at] ?? 0) : 0) - (body[n] ?? 0)) / count;
        neck[n] = (neck[n] ?? 0) + ((isBeside ? (skin[at] ?? 0) : 0) - (neck[n] ?? 0)) / count;
      }
    }
  }

  #makeUp(plate: Pixels): void {
    const grid = this.#grid;
    const colours = averageCells(plate, { x: 0, y: 0 }, grid);
    const known = colours.cover.map((cover) => (cover > 0.6 ? 1 : 0));
    const made = inpaintCells(grid, colours, known, layersOf(...this.#layers), RELAXATIONS);
    const near = Float32Array.from(known);
    blurField(near, grid, SEAM_CELLS);
    const [luma, cb, cr] = (['luma', 'cb', 'cr'] as const).map((channel) =>
      joinSeam(grid, made[channel], colours[channel], known, near),
    ) as [Float32Array, Float32Array, Float32Array];
    const reader = new FieldReader(grid);
    const line = (): Float32Array => new Float32Array(plate.width);
    const [lumas, cbs, crs] = [line(), line(), line()];
    for (let y = 0, at = 0; y < plate.height; y++) {
      reader.row(y);
      reader.read(luma, lumas);
      reader.read(cb, cbs);
      reader.read(cr, crs);
      for (let x = 0; x < plate.width; x++, at += 4) {
        if (plate.data[at + 3] !== 0) continue;
        const [l, b, r] = [lumas[x] ?? 0, cbs[x] ?? 0, crs[x] ?? 0];
        plate.data[at] = clampByte(l + 1.402 * r);
        plate.data[at + 1] = clampByte(l - 0.344 * b - 0.714 * r);
        plate.data[at + 2] = clampByte(l + 1.772 * b);
        plate.data[at + 3] = 128;
      }
    }
  }
}

/**
 * Returns `made`, corrected by its difference from `seen` at the seam. The correction fades out with the distance from
 * the seam, so that no edge is visible.
 */
function joinSeam(
  grid: CoarseGrid,
  made: Float32Array,
  seen: Float32Array,
  known: Float32Array,
  near: Float32Array,
): Float32Array {
  const off = made.map((value, n) => (known[n] ?? 0) * ((seen[n] ?? 0) - value));
  blurField(off, grid, SEAM_CELLS);
  return made.map((value, n) => {
    if (known[n] === 1) return seen[n] ?? 0;
    const share = near[n] ?? 0;
    return value + smoothStep(0.02, 0.5, share) * ((off[n] ?? 0) / Math.max(share, 1e-3));
  });
}

function clampByte(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5;
}
