import { Disposer } from '../../../base/disposer.ts';
import type { Pixels } from '../pixels.ts';
import { type Face, faceFromLandmarks, largestFace, overlap } from './face.ts';
import { type Detection, FaceDetector, type Look } from './face-detector.ts';
import {
  FaceMesh,
  type MeshReading,
  cropAroundDetection,
  cropAroundLandmarks,
  sameCrop,
} from './face-mesh.ts';
import { loadNeuralNet } from '../nets/neural-net.ts';
import type { Crop } from './sample-crop.ts';

const PRESENCE_MIN = 0.6;
/** The minimum score at which the coarse detection is sufficient. */
const COARSE_SCORE_MIN = 0.6;
const FACES_MAX = 16;
const SAME_FACE_OVERLAP = 0.4;
/**
 * The detector misses faces smaller than about 14 of its 256 input pixels. If it finds none in a picture whose longer
 * side has at least this many pixels, the picture is therefore searched in tiles.
 */
const TILED_FROM_PX = 1600;

/**
 * Finds faces and their landmarks in pictures. It runs on the calling thread, so it is used in a worker. Finding the
 * main face takes about 6 ms of processor time; fine detection takes 10 ms, plus 3 ms for each face. Only one call may
 * run at a time.
 */
export class FaceReader implements AsyncDisposable {
  readonly #detector: FaceDetector;
  readonly #mesh: FaceMesh;
  readonly #disposer: Disposer;

  private constructor(detector: FaceDetector, mesh: FaceMesh, disposer: Disposer) {
    this.#detector = detector;
    this.#mesh = mesh;
    this.#disposer = disposer;
  }

  /**
   * Loads both networks and runs each once. Throws an error that names the package if an optional package is
   * missing.
   */
  static async load(): Promise<FaceReader> {
    const disposer = new Disposer();
    const blazeface = disposer.use(await loadNeuralNet('blazeface'));
    const facemesh = disposer.use(await loadNeuralNet('facemesh'));
    const reader = new FaceReader(new FaceDetector(blazeface), new FaceMesh(facemesh), disposer);
    await reader.#warmUp();
    return reader;
  }

  /**
   * Finds up to 16 faces, best score first. The result depends only on the picture. Coarse detection finds only clear
   * faces of at least an eighth of the picture's longer side, in less than half the time.
   */
  async find(picture: Pixels, look: Look = 'fine'): Promise<Face[]> {
    const faces: Face[] = [];
    for (const detection of (await this.#detect(picture, look)).slice(0, FACES_MAX)) {
      const face = await this.#read(picture, detection);
      if (face && !faces.some((known) => overlap(known.box, face.box) > SAME_FACE_OVERLAP)) faces.push(face);
    }
    return faces;
  }

  /** Finds the largest face, usually by coarse detection. Returns `undefined` if there is none. */
  async findMain(picture: Pixels): Promise<Face | undefined> {
    const largestFirst = (await this.#detect(picture, 'coarse')).sort((a, b) => b.box.width - a.box.width);
    for (const detection of largestFirst) {
      const face = await this.#read(picture, detection);
      if (face) return face;
    }
    return largestFace(await this.find(picture));
  }

  /**
   * Reads the mesh of a face that had these landmarks in the previous picture. The presence shows whether it
   * is still there.
   */
  follow(picture: Pixels, landmarks: Float32Array): Promise<MeshReading> {
    return this.#mesh.read(picture, cropAroundLandmarks(landmarks));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposer[Symbol.asyncDispose]();
  }

  async #detect(picture: Pixels, look: Look): Promise<Detection[]> {
    const detections = await this.#detector.detect(picture, look);
    if (look === 'coarse') return detections.filter(({ score }) => score >= COARSE_SCORE_MIN);
    if (detections.length === 0 && Math.max(picture.width, picture.height) >= TILED_FROM_PX) {
      for (const tile of tiles(picture)) {
        detections.push(...(await this.#detector.detect(picture, 'fine', tile)));
      }
    }
    return detections.sort((a, b) => b.score - a.score);
  }

  /**
   * Reads the mesh of a face. A crop that does not fit displaces points by up to 2 % of the face; in that
   * case the face is read again.
   */
  async #read(picture: Pixels, detection: Detection): Promise<Face | undefined> {
    const crop = cropAroundDetection(detection);
    const first = await this.#mesh.read(picture, crop);
    if (!(first.presence >= PRESENCE_MIN)) return undefined;
    const fitting = cropAroundLandmarks(first.landmarks);
    if (sameCrop(crop, fitting)) return faceFromLandmarks(first.landmarks, detection.score);
    const second = await this.#mesh.read(picture, fitting);
    const best = second.presence >= PRESENCE_MIN ? second : first;
    return faceFromLandmarks(best.landmarks, detection.score);
  }

  async #warmUp(): Promise<void> {
    const blank = { width: 64, height: 64, data: new Uint8Array(64 * 64 * 4).fill(255) };
    await this.#detector.detect(blank, 'coarse');
    await this.#detector.detect(blank, 'fine');
    await this.#mesh.read(blank, { centreX: 32, centreY: 32, size: 64, angle: 0 });
  }
}

/**
 * Returns half-size squares that overlap by half, so that a face on the border of one square is complete in another.
 */
function tiles(picture: Pixels): Crop[] {
  const size = Math.max(picture.width, picture.height) / 2;
  const found: Crop[] = [];
  for (const centreY of centres(picture.height, size)) {
    for (const centreX of centres(picture.width, size)) found.push({ centreX, centreY, size, angle: 0 });
  }
  return found;
}

function centres(length: number, size: number): number[] {
  if (length <= size) return [length / 2];
  return [size / 2, length / 2, length - size / 2];
}
