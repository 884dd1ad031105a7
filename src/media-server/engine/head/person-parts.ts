import { FACE_OVAL } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { type CellColours, type CoarseGrid, averageCells, cellCentre } from '../swap/coarse-grid.ts';
import { type SkinTone, skinLikeness, skinTone } from '../swap/colour-match.ts';
import { faceFrame } from '../swap/face-frame.ts';
import { Polygon } from '../swap/polygon.ts';
import { smoothStep } from '../smooth-step.ts';
import { ColourModel } from './colour-model.ts';
import { grownField } from './field-reader.ts';
import { joinedCells } from './joined-cells.ts';
import { type Links, linkCells, settle } from './random-walk.ts';

/** How much of each cell around a face is head or body, each 0 to 1. The rest is background. */
export interface PersonParts {
  readonly grid: CoarseGrid;
  readonly colours: CellColours;
  /** The share of face, hair, ears and neck. */
  readonly head: Float32Array;
  /** The share of clothes and shoulders. */
  readonly body: Float32Array;
  /** Distance from the outline of the face in eye distances, negative outside. */
  readonly depth: Float32Array;
}

/** The colours of head, body and background in one clip or picture. */
export interface PersonColours {
  readonly head: ColourModel;
  readonly body: ColourModel | undefined;
  readonly background: ColourModel | undefined;
  readonly skin: ColourModel | undefined;
  /** The colours of hair, or undefined for a bald head. */
  readonly hair: ColourModel | undefined;
  readonly tone: SkinTone;
}

type PartColours = Pick<PersonColours, 'head' | 'body' | 'background'>;

/**
 * The number of cells along the grid's longer side, for a single picture and for the frames of a clip, which must be
 * processed quickly.
 */
const FINE_CELLS = 176;
const QUICK_CELLS = 96;
const FINE_SWEEPS = 60;
/** The number of sweeps while the colours are still being learned. */
const ROUGH_SWEEPS = 24;
const QUICK_SWEEPS = 12;
/** How far the grid extends from the face, in eye distances. */
const REACH = { side: 4, above: 3.2, below: 4.6 };
const SEED_TRUST = 100;
const COLOUR_TRUST = 0.06;
const COLOURS_ROUNDS = 2;
/** The log density of any colour for a class without samples. */
const UNLIKELY = -60;

/** Returns the share of each cell that is neither head nor body. */
export function backgroundOf({ head, body }: PersonParts): Float32Array {
  return head.map((value, n) => Math.max(0, 1 - value - (body[n] ?? 0)));
}

/** Returns the area around the face with these landmarks that `findParts` examines with pace `quickly`. */
export function partsArea(landmarks: Float32Array, picture: Pixels): Rect {
  return partsGrid(headArea(landmarks, picture), picture, QUICK_CELLS).area;
}

/** Returns the area of a picture that contains head and shoulders of the person with these landmarks. */
function headArea(landmarks: Float32Array, { width, height }: Pixels): Rect {
  const { unit } = faceFrame(landmarks);
  const oval = new Polygon(landmarks, FACE_OVAL);
  const middle = (oval.left + oval.right) / 2;
  const x = Math.max(0, Math.floor(middle - REACH.side * unit));
  const y = Math.max(0, Math.floor(oval.top - REACH.above * unit));
  const right = Math.min(width, Math.ceil(middle + REACH.side * unit));
  const bottom = Math.min(height, Math.ceil(oval.bottom + REACH.below * unit));
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
}

/**
 * Returns the grid over `area`, which is extended to multiples of the cell's size within the picture, so that cells
 * stay in place from frame to frame.
 */
function partsGrid(area: Rect, { width, height }: Pixels, cellsMax: number): CoarseGrid {
  const cell = Math.max(1, Math.ceil(Math.max(area.width, area.height) / cellsMax));
  const [left, top] = [Math.floor(area.x / cell), Math.floor(area.y / cell)];
  const columns = Math.ceil((area.x + area.width) / cell) - left;
  const rows = Math.ceil((area.y + area.height) / cell) - top;
  const [x, y] = [left * cell, top * cell];
  const right = Math.min(width, x + columns * cell);
  const bottom = Math.min(height, y + rows * cell);
  return { area: { x, y, width: right - x, height: bottom - y }, cell, columns, rows };
}

/** Learns the colours of the background and of the person with these landmarks. */
export function learnColours(picture: Pixels, landmarks: Float32Array): PersonColours {
  const grid = partsGrid(headArea(landmarks, picture), picture, FINE_CELLS);
  const colours = averageCells(picture, { x: 0, y: 0 }, grid);
  const links = linkCells(grid, colours);
  const layout = layOut(grid, landmarks);
  let known: PartColours = fitColours(colours, (n) => layout.seeds[n] ?? 0);
  for (let round = 0; round < COLOURS_ROUNDS; round++) {
    const { head, body } = separateParts(grid, colours, links, layout, known, ROUGH_SWEEPS);
    known = fitColours(colours, (n) => {
      const [h = 0, b = 0] = [head[n], body[n]];
      return h > 0.7 ? HEAD : b > 0.7 ? BODY : h + b < 0.3 ? BACKGROUND : 0;
    });
  }
  const { head } = separateParts(grid, colours, links, layout, known, FINE_SWEEPS);
  return { ...known, ...learnSkinAndHair(grid, colours, landmarks, head) };
}

/**
 * Skin is learned from the face. Hair is learned from the head above the eyes outside the face, except for
 * cells that look like skin.
 */
function learnSkinAndHair(
  grid: CoarseGrid,
  colours: CellColours,
  landmarks: Float32Array,
  head: Float32Array,
): Pick<PersonColours, 'skin' | 'hair' | 'tone'> {
  const frame = faceFrame(landmarks);
  const oval = new Polygon(landmarks, FACE_OVAL);
  const depths = colours.luma.map((_luma, n) => {
    const { x, y } = cellCentre(grid, n % grid.columns, Math.floor(n / grid.columns));
    return oval.depth(x, y) / frame.unit;
  });
  const tone = skinTone(
    colours,
    depths.map((depth) => smoothStep(0.1, 0.3, depth)),
  );
  const likeness = skinLikeness(colours, tone, 'face');
  const [skin, hair]: [number[], number[]] = [[], []];
  for (let n = 0; n < depths.length; n++) {
    const { x, y } = cellCentre(grid, n % grid.columns, Math.floor(n / grid.columns));
    const [depth = 0, like = 0] = [depths[n], likeness[n]];
    if (depth > 0.1 && like > 0.4) skin.push(n);
    else if (depth < -0.08 && like < 0.4 && (head[n] ?? 0) > 0.8 && frame.up(x, y) > 0) hair.push(n);
  }
  return { tone, skin: ColourModel.fit(colours, skin), hair: ColourModel.fit(colours, hair) };
}

/** Separates head, body and background in a picture: `finely` for a single picture, `quickly` for one of many. */
export function findParts(
  picture: Pixels,
  landmarks: Float32Array,
  known: PersonColours,
  pace: 'finely' | 'quickly',
): PersonParts {
  const grid = partsGrid(headArea(landmarks, picture), picture, pace === 'finely' ? FINE_CELLS : QUICK_CELLS);
  const colours = averageCells(picture, { x: 0, y: 0 }, grid);
  const sweeps = pace === 'finely' ? FINE_SWEEPS : QUICK_SWEEPS;
  const layout = layOut(grid, landmarks);
  const { head, body } = separateParts(grid, colours, linkCells(grid, colours), layout, known, sweeps);
  const joined = joinedCells(
    grid,
    (n) => layout.seeds[n] === HEAD,
    (n) => (head[n] ?? 0) > 0.4,
  );
  const kept = grownField(joined, grid, 1);
  return { grid, colours, head: head.map((value, n) => value * (kept[n] ?? 0)), body, depth: layout.depth };
}

const HEAD = 1;
const BODY = 2;
const BACKGROUND = 3;

/** The conclusions from position alone: cells whose class is certain, and the likelihood of each class elsewhere. */
interface Layout {
  readonly seeds: Uint8Array;
  readonly headOdds: Float32Array;
  readonly bodyOdds: Float32Array;
  /** The depth of each cell; see `PersonParts`. */
  readonly depth: Float32Array;
}

function layOut(grid: CoarseGrid, landmarks: Float32Array): Layout {
  const size = grid.columns * grid.rows;
  const layout = {
    seeds: new Uint8Array(size),
    headOdds: new Float32Array(size),
    bodyOdds: new Float32Array(size),
    depth: new Float32Array(size),
  };
  const frame = faceFrame(landmarks);
  const { unit } = frame;
  const oval = new Polygon(landmarks, FACE_OVAL);
  const chin = frame.up(landmarks[152 * 3] ?? 0, landmarks[152 * 3 + 1] ?? 0) / unit;
  const top = frame.up(landmarks[10 * 3] ?? 0, landmarks[10 * 3 + 1] ?? 0) / unit;
  for (let row = 0, n = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++, n++) {
      const { x, y } = cellCentre(grid, column, row);
      const depth = oval.depth(x, y) / unit;
      layout.depth[n] = depth;
      const up = frame.up(x, y) / unit;
      const across = Math.abs(frame.across(x, y)) / unit;
      const outside = Math.max(0, -depth);
      layout.headOdds[n] = 0.02 + 0.98 * Math.exp(-((outside / 1.25) ** 2));
      layout.bodyOdds[n] = 0.001 + smoothStep(0.3, 1.3, chin - up);
      const isScalp = up > top - 0.1 && up < top + 0.32 && across < 0.55;
      const isEdge = row === 0 || ((column === 0 || column === grid.columns - 1) && up > chin);
      if (depth > 0.04 || isScalp) layout.seeds[n] = HEAD;
      else if (chin - up > (row > 0.94 * grid.rows ? 0.8 : 1.5) && across < 1.3) layout.seeds[n] = BODY;
      else if ((isEdge && outside > 1.1) || up > top + 2.6 || (across > 3.3 && up > chin + 0.3))
        layout.seeds[n] = BACKGROUND;
    }
  }
  return layout;
}

function fitColours(colours: CellColours, classOf: (n: number) => number): PartColours {
  const members: number[][] = [[], [], [], []];
  for (let n = 0; n < colours.luma.length; n++) members[classOf(n)]?.push(n);
  const head = ColourModel.fit(colours, members[HEAD] ?? []);
  if (!head) throw new RangeError('Cannot learn the colours of a head this small');
  return {
    head,
    body: ColourModel.fit(colours, members[BODY] ?? []),
    background: ColourModel.fit(colours, members[BACKGROUND] ?? []),
  };
}

function separateParts(
  grid: CoarseGrid,
  colours: CellColours,
  links: Links,
  { seeds, headOdds, bodyOdds }: Layout,
  known: PartColours,
  sweeps: number,
): { head: Float32Array; body: Float32Array } {
  const size = grid.columns * grid.rows;
  const [headBelief, bodyBelief] = [new Float32Array(size), new Float32Array(size)];
  const trust = new Float32Array(size);
  for (let n = 0; n < size; n++) {
    const seed = seeds[n] ?? 0;
    if (seed > 0) {
      trust[n] = SEED_TRUST;
      headBelief[n] = Number(seed === HEAD);
      bodyBelief[n] = Number(seed === BODY);
      continue;
    }
    const [y = 0, b = 0, r = 0] = [colours.luma[n], colours.cb[n], colours.cr[n]];
    const asHead = known.head.logDensity(y, b, r) + Math.log(headOdds[n] ?? 0);
    const asBody = (known.body?.logDensity(y, b, r) ?? UNLIKELY) + Math.log(bodyOdds[n] ?? 0);
    const asBackground =
      (known.background?.logDensity(y, b, r) ?? UNLIKELY) + Math.log(1 - 0.7 * Math.min(1, bodyOdds[n] ?? 0));
    const greatest = Math.max(asHead, asBody, asBackground);
    const h = Math.exp(asHead - greatest);
    const s = Math.exp(asBody - greatest);
    const g = Math.exp(asBackground - greatest);
    trust[n] = COLOUR_TRUST;
    headBelief[n] = h / (h + s + g);
    bodyBelief[n] = s / (h + s + g);
  }
  const beliefs = { first: headBelief, second: bodyBelief, trust };
  const { first: head, second: body } = settle(grid, links, beliefs, sweeps);
  return { head, body };
}
