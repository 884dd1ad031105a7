import type { Pixels } from '../pixels.ts';
import { type CoarseGrid, averageCells } from '../swap/coarse-grid.ts';
import { FieldReader, grownField } from './field.ts';
import { inpaintCells } from './inpaint-cells.ts';
import type { PersonParts } from './person-parts.ts';

/** Cells along the longer side of the raster on which what was never seen is made up. */
const CELLS_MAX = 160;
/** So far around a head, in eye distances, its pixels are not believed to be free of it. */
const HEAD_MARGIN = 0.16;
const MEMORY_MAX = 40;

/**
 * What a clip shows when the head is taken away: background and body, each pixel as it was seen while the head was
 * elsewhere, the rest continued from around it. Holds 17 bytes per pixel.
 */
export class PlateBuilder {
  readonly #width: number;
  readonly #height: number;
  readonly #sums: Float32Array;
  readonly #seen: Uint8Array;
  readonly #body: Float32Array;
  readonly #grid: CoarseGrid;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#sums = new Float32Array(width * height * 3);
    this.#seen = new Uint8Array(width * height);
    const cell = Math.max(1, Math.ceil(Math.max(width, height) / CELLS_MAX));
    const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
    this.#grid = { area: { x: 0, y: 0, width, height }, cell, columns, rows };
    this.#body = new Float32Array(columns * rows);
  }

  /** Adds what `picture` shows around the head. */
  add(picture: Pixels, parts: PersonParts, eyeDistance: number): void {
    const { area, cell } = parts.grid;
    const taken = grownField(parts.head, parts.grid, Math.ceil((HEAD_MARGIN * eyeDistance) / cell) + 1);
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
    this.#learnBody(parts);
  }

  /** The finished plate. Alpha is 255 where it was seen, 128 where it is made up. */
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
    for (let channel = 0; channel < 3; channel++) {
      const sum = this.#sums[n * 3 + channel] ?? 0;
      this.#sums[n * 3 + channel] = sum + ((data[n * 4 + channel] ?? 0) - sum) / count;
    }
  }

  #learnBody({ grid, body }: PersonParts): void {
    const { area, cell, columns, rows } = this.#grid;
    for (let row = 0, n = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, n++) {
        const x = Math.floor(((column + 0.5) * cell + area.x - grid.area.x) / grid.cell);
        const y = Math.floor(((row + 0.5) * cell + area.y - grid.area.y) / grid.cell);
        if (x < 0 || y < 0 || x >= grid.columns || y >= grid.rows) continue;
        const share = body[y * grid.columns + x] ?? 0;
        this.#body[n] = Math.max(share, 0.9 * (this.#body[n] ?? 0));
      }
    }
  }

  #makeUp(plate: Pixels): void {
    const grid = this.#grid;
    const colours = averageCells(plate, { x: 0, y: 0 }, grid);
    const known = colours.cover.map((cover) => (cover > 0.6 ? 1 : 0));
    const { luma, cb, cr } = inpaintCells(grid, colours, known, this.#body);
    const reader = new FieldReader(grid);
    const lines = [luma, cb, cr].map((field) => ({ field, line: new Float32Array(plate.width) }));
    for (let y = 0, at = 0; y < plate.height; y++) {
      reader.row(y);
      for (const { field, line } of lines) reader.read(field, line);
      for (let x = 0; x < plate.width; x++, at += 4) {
        if (plate.data[at + 3] !== 0) continue;
        const [l = 0, b = 0, r = 0] = lines.map(({ line }) => line[x]);
        plate.data[at] = clampByte(l + 1.402 * r);
        plate.data[at + 1] = clampByte(l - 0.344 * b - 0.714 * r);
        plate.data[at + 2] = clampByte(l + 1.772 * b);
        plate.data[at + 3] = 128;
      }
    }
  }
}

function clampByte(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5;
}
