import type { Pixels } from '../pixels.ts';
import { landmarkBox, rollOf } from './face.ts';
import type { Detection, Look } from './face-detector.ts';
import { LANDMARK_COUNT } from './mesh-topology.ts';
import type { NeuralNet } from '../nets/neural-net.ts';
import { type Crop, sampleCrop } from './sample-crop.ts';

/** The mesh of one face, and the network's confidence that the crop shows a face, 0 to 1. */
export interface MeshReading {
  readonly landmarks: Float32Array;
  readonly presence: number;
}

const INPUT_SIZE = 192;
const LANDMARK_MARGIN = 1.5;
/** As measured, a mesh is about 1.1 times as large as the box around its detection, and 3 % of the crop higher. */
const DETECTION_MARGIN = { coarse: 1.69, fine: 1.65 } as const satisfies Record<Look, number>;
const LIFT = { coarse: 0.033, fine: 0.028 } as const satisfies Record<Look, number>;

/** Locates 468 landmarks on a face (MediaPipe Face Mesh, 192 x 192). Use one instance per thread. */
export class FaceMesh {
  readonly #net: NeuralNet;
  readonly #input = new Float32Array(INPUT_SIZE * INPUT_SIZE * 3);

  /** Borrows `net`, which must be the face mesh. */
  constructor(net: NeuralNet) {
    this.#net = net;
  }

  /** Reads the face inside `crop`. Only one call may run at a time. The caller owns the landmarks. */
  async read(picture: Pixels, crop: Crop): Promise<MeshReading> {
    sampleCrop(picture, crop, INPUT_SIZE, this.#input, { scale: 1 / 255, offset: 0, outside: 0 });
    const [presence, , points] = await this.#net.run(this.#input, INPUT_SIZE);
    if (points?.length !== LANDMARK_COUNT * 3) throw new TypeError('Cannot use the network as a face mesh');
    toPicture(points, crop);
    return { landmarks: points, presence: presence?.[0] ?? 0 };
  }
}

/** Returns the crop in which to read the mesh of a detection. It is close to the result of `cropAroundLandmarks`. */
export function cropAroundDetection({ box, roll, look }: Detection): Crop {
  const size = Math.max(box.width, box.height) * DETECTION_MARGIN[look];
  return {
    centreX: box.x + box.width / 2 + Math.sin(roll) * LIFT[look] * size,
    centreY: box.y + box.height / 2 - Math.cos(roll) * LIFT[look] * size,
    size,
    angle: roll,
  };
}

/** Returns the crop in which to read the same face again, in this picture or in the next frame. */
export function cropAroundLandmarks(landmarks: Float32Array): Crop {
  const { x, y, width, height } = landmarkBox(landmarks);
  return {
    centreX: x + width / 2,
    centreY: y + height / 2,
    size: Math.max(width, height) * LANDMARK_MARGIN,
    angle: rollOf(landmarks),
  };
}

/**
 * Returns whether two crops are so similar that reading the second after the first moves no point by more than 0.3 % of
 * the crop.
 */
export function sameCrop(a: Crop, b: Crop): boolean {
  return (
    Math.abs(a.size / b.size - 1) < 0.04 &&
    Math.hypot(a.centreX - b.centreX, a.centreY - b.centreY) < 0.025 * b.size &&
    Math.abs(a.angle - b.angle) < 0.08
  );
}

function toPicture(points: Float32Array, crop: Crop): void {
  const scale = crop.size / INPUT_SIZE;
  const cos = Math.cos(crop.angle) * scale;
  const sin = Math.sin(crop.angle) * scale;
  for (let at = 0; at < points.length; at += 3) {
    const u = (points[at] ?? 0) - INPUT_SIZE / 2;
    const v = (points[at + 1] ?? 0) - INPUT_SIZE / 2;
    points[at] = crop.centreX + u * cos - v * sin;
    points[at + 1] = crop.centreY + u * sin + v * cos;
    points[at + 2] = (points[at + 2] ?? 0) * scale;
  }
}
