import { eyeDistanceOf, faceFromLandmarks, landmarkBox } from '../face/face.ts';
import { TRIANGLES } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { blendFace } from './blend-face.ts';
import { planBlend } from './blend-plan.ts';
import { averageCells, coarseGrid, halvedGrid } from './coarse-grid.ts';
import { matchingShrink } from './matching-shrink.ts';
import { faceMask, faceZones } from './face-mask.ts';
import { excessTurn, fillFarSide } from './fill-far-side.ts';
import { MOUTH_TRIANGLES } from './mouth-triangles.ts';
import { shifted } from './shifted.ts';
import { type SourceFace, levelFor, withoutTeeth } from './source-face.ts';
import type { SwapMemory } from './swap-memory.ts';
import { smoothStep } from '../smooth-step.ts';
import { mouthOpening, targetShape } from './target-shape.ts';
import { warpTriangles } from './warp-triangles.ts';

/**
 * Limits of `mouthOpening`: up to `MOUTH_CLOSED_MAX`, a mouth is closed; up to `MOUTH_PARTED_MAX`, it shows no teeth.
 */
const MOUTH_CLOSED_MAX = 0.08;
const MOUTH_PARTED_MAX = 0.16;
/**
 * Between these values of `mouthOpening`, the target's own mouth becomes visible gradually, so that it does not appear
 * abruptly during speech.
 */
const MOUTH_COVERED_MAX = 0.06;
const MOUTH_OPEN_MIN = 0.12;

/** Options for putting one face on another. */
interface SwapOptions {
  /** The opacity of the new face, 0 to 1; see `TrackedFace.weight`. Default 1. */
  readonly weight?: number;
  /** Stabilises colour and light over the frames of a clip. `seconds` is the time of this frame in the clip. */
  readonly memory?: SwapMemory;
  readonly seconds?: number;
  /**
   * The position of `target` in the picture that the landmarks refer to. It is for callers that have only the area
   * around the face. Default: `target` is the whole picture.
   */
  readonly origin?: { readonly x: number; readonly y: number };
}

/**
 * Puts faces on other faces, frame by frame. It reuses its buffers. Equal input gives equal output, except
 * for the effect of a `SwapMemory`.
 */
export class FaceSwapper {
  #warped = new Uint8Array(0);
  #scratch = new Uint8Array(0);

  /**
   * Puts `source` on the face with these landmarks in `target`, in place, and returns the area of the picture that may
   * have changed. All bytes outside it, and all alpha, stay unchanged. Returns `undefined` if the face is outside the
   * picture or its weight is 0.
   */
  swap(
    target: Pixels,
    landmarks: Float32Array,
    source: SourceFace,
    { origin, ...options }: SwapOptions = {},
  ): Rect | undefined {
    if (!origin) return this.#swap(target, landmarks, source, options);
    const area = this.#swap(target, shifted(landmarks, -origin.x, -origin.y), source, options);
    return area && { ...area, x: area.x + origin.x, y: area.y + origin.y };
  }

  #swap(
    target: Pixels,
    landmarks: Float32Array,
    source: SourceFace,
    { weight = 1, memory, seconds = 0 }: Omit<SwapOptions, 'origin'>,
  ): Rect | undefined {
    if (!(weight > 0)) return undefined;
    const shape = targetShape(landmarks, source.levels[0].landmarks);
    const area = clippedBounds(shape, target);
    if (!area) return undefined;
    target.reveal?.(area);
    const wanted = eyeDistanceOf(landmarks) * matchingShrink(target, landmarks);
    const { pixels, landmarks: from } = levelFor(
      source,
      memory ? memory.steadyDetail(wanted, seconds) : wanted,
    );
    const opening = mouthOpening(from);
    const keepMouth =
      opening < MOUTH_PARTED_MAX ? smoothStep(MOUTH_COVERED_MAX, MOUTH_OPEN_MIN, mouthOpening(landmarks)) : 1;
    this.#reserve(area.width * area.height * 4);
    const warped = this.#warped;
    const triangles = keepMouth < 1 ? WITH_MOUTH : TRIANGLES;
    const lipsAsTheyAre = keepMouth < 0.5 || opening < MOUTH_CLOSED_MAX;
    const mesh = { from: lipsAsTheyAre ? from : withoutTeeth(from), to: shape, triangles };
    warpTriangles(pixels, mesh, area, warped);
    const turn = excessTurn(source.yawDegrees, faceFromLandmarks(landmarks, 1).yawDegrees);
    fillFarSide(pixels, mesh, turn, area, warped, this.#scratch);
    const grid = coarseGrid(area);
    const coarse = halvedGrid(grid);
    const mask = faceMask(grid, shape, keepMouth);
    const planned = planBlend({
      grid,
      mask,
      zones: faceZones(grid, coarse, mask, shape, landmarks),
      under: averageCells(target, { x: 0, y: 0 }, grid),
      over: averageCells({ ...area, data: warped }, area, grid),
    });
    const plan = memory ? memory.steady(planned, grid, seconds) : planned;
    if (weight < 1) scale(plan.fields.opacity, weight);
    blendFace(target, warped, grid, plan.fields, plan.match, plan.eyeGain);
    return area;
  }

  #reserve(length: number): void {
    if (this.#warped.length >= length) return;
    this.#warped = new Uint8Array(length);
    this.#scratch = new Uint8Array(length);
  }
}

function scale(values: Float32Array, factor: number): void {
  for (let n = 0; n < values.length; n++) values[n] = (values[n] ?? 0) * factor;
}

function clippedBounds(shape: Float32Array, picture: Pixels): Rect | undefined {
  const box = landmarkBox(shape);
  const x = Math.max(0, Math.floor(box.x));
  const y = Math.max(0, Math.floor(box.y));
  const width = Math.min(picture.width, Math.ceil(box.x + box.width)) - x;
  const height = Math.min(picture.height, Math.ceil(box.y + box.height)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The opening of the mouth is drawn as well, because no gap may be visible between closed lips. */
const WITH_MOUTH: Uint16Array = Uint16Array.from([...TRIANGLES, ...MOUTH_TRIANGLES]);
