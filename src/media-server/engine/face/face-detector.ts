import type { Pixels } from '../pixels.ts';
import { detectorAnchors } from './detector-anchors.ts';
import { type FaceBox, overlap } from './face.ts';
import type { NeuralNet } from '../nets/neural-net.ts';
import { type Crop, sampleCrop } from './sample-crop.ts';

/** A rough detection: a box in picture pixels, and the clockwise rotation of the eye line in radians. */
export interface Detection {
  readonly box: FaceBox;
  readonly roll: number;
  readonly score: number;
  readonly look: Look;
}

type Candidate = Omit<Detection, 'look'>;

const SCORE_MIN = 0.3;
const SAME_FACE_OVERLAP = 0.3;
const VALUES_PER_ANCHOR = 16;
const NEUTRAL_GREY = 127;

/**
 * The detail of the detection. `fine` detects faces of at least 1/18 of the picture's longer side; `coarse` detects
 * those of at least 1/8, at a third of the cost.
 */
export type Look = 'coarse' | 'fine';

const INPUT_SIZES = { coarse: 128, fine: 256 } as const satisfies Record<Look, number>;

/** Finds faces in a whole picture (BlazeFace). Use one instance per thread; it reuses its buffers. */
export class FaceDetector {
  readonly #net: NeuralNet;
  readonly #inputs = { coarse: inputOf(INPUT_SIZES.coarse), fine: inputOf(INPUT_SIZES.fine) };

  /** Borrows `net`, which must be BlazeFace. */
  constructor(net: NeuralNet) {
    this.#net = net;
  }

  /**
   * Finds all faces inside `area` (default: the whole picture), best first. Only one call may run at a time.
   */
  async detect(picture: Pixels, look: Look, area: Crop = letterbox(picture)): Promise<Detection[]> {
    const { size, values, anchors } = this.#inputs[look];
    sampleCrop(picture, area, size, values, { scale: 1 / 127.5, offset: -1, outside: NEUTRAL_GREY });
    const [coarseScores, fineScores, coarseBoxes, fineBoxes] = await this.#net.run(values, size);
    if (!coarseScores || !fineScores || !coarseBoxes || !fineBoxes) return [];
    const scale = area.size / size;
    const origin = { x: area.centreX - area.size / 2, y: area.centreY - area.size / 2, scale };
    const found = [
      ...decode(fineScores, fineBoxes, anchors, origin),
      ...decode(coarseScores, coarseBoxes, anchors.subarray(fineScores.length * 2), origin),
    ];
    return mergeOverlapping(found).map((face) => ({ ...face, look }));
  }
}

function inputOf(size: number): { size: number; values: Float32Array; anchors: Float32Array } {
  return { size, values: new Float32Array(size * size * 3), anchors: detectorAnchors(size) };
}

function letterbox(picture: Pixels): Crop {
  const size = Math.max(picture.width, picture.height);
  return { centreX: picture.width / 2, centreY: picture.height / 2, size, angle: 0 };
}

function decode(
  scores: Float32Array,
  values: Float32Array,
  anchors: Float32Array,
  origin: { x: number; y: number; scale: number },
): Candidate[] {
  const found: Candidate[] = [];
  for (let n = 0; n < scores.length; n++) {
    const score = 1 / (1 + Math.exp(-(scores[n] ?? 0)));
    if (!(score >= SCORE_MIN)) continue;
    const [dx = 0, dy = 0, w = 0, h = 0, lx = 0, ly = 0, rx = 0, ry = 0] = values.subarray(
      n * VALUES_PER_ANCHOR,
      n * VALUES_PER_ANCHOR + 8,
    );
    const width = w * origin.scale;
    const height = h * origin.scale;
    const x = origin.x + ((anchors[n * 2] ?? 0) + dx) * origin.scale - width / 2;
    const y = origin.y + ((anchors[n * 2 + 1] ?? 0) + dy) * origin.scale - height / 2;
    found.push({ box: { x, y, width, height }, roll: Math.atan2(ry - ly, rx - lx), score });
  }
  return found;
}

/** Averages the boxes of one face, weighted by score, which is more stable than using only the best box. */
function mergeOverlapping(found: Candidate[]): Candidate[] {
  let rest = found.sort((a, b) => b.score - a.score);
  const merged: Candidate[] = [];
  for (let best = rest[0]; best; best = rest[0]) {
    const { box, roll, score } = best;
    const same = rest.filter((other) => other === best || overlap(box, other.box) > SAME_FACE_OVERLAP);
    rest = rest.filter((other) => !same.includes(other));
    merged.push({ box: averageBox(same), roll, score });
  }
  return merged;
}

function averageBox(detections: readonly Candidate[]): FaceBox {
  let [x, y, width, height, total] = [0, 0, 0, 0, 0];
  for (const { box, score } of detections) {
    x += box.x * score;
    y += box.y * score;
    width += box.width * score;
    height += box.height * score;
    total += score;
  }
  return { x: x / total, y: y / total, width: width / total, height: height / total };
}
