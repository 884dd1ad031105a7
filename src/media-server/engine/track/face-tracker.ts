import {
  type Face,
  type FaceBox,
  eyeDistanceOf,
  faceFromLandmarks,
  landmarkBox,
  largestFace,
  overlap,
} from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import type { Pixels } from '../pixels.ts';
import { BlinkSense, closeLids } from './blink.ts';
import { OneEuroFilter } from './one-euro.ts';
import { SceneChange } from './scene-change.ts';
import { SwapWeight } from './swap-weight.ts';

/** The main face of a clip in one of its pictures. Lengths in pixels of that picture. */
export interface TrackedFace {
  /** 468 points (x, y, z), freed of jitter: draw with these. The caller owns them. */
  readonly landmarks: Float32Array;
  /** The points as they were read in this picture alone: measure with these. */
  readonly rawLandmarks: Float32Array;
  /** Turn of the head about the vertical, from the smoothed points; reliable to 45 degrees. */
  readonly yawDegrees: number;
  /** How sure the mesh is that there is a face, 0 to 1. */
  readonly presence: number;
  /** Tight box around `landmarks`; may reach outside the picture. */
  readonly box: FaceBox;
  /** How much of a swap may show, 0 to 1: fades to 0 as the head turns from 38 to 45 degrees. */
  readonly weight: number;
  /** How far the lids are closed, 0 to 1. The mesh alone never reads them as shut; `landmarks` have them shut. */
  readonly lidsClosed: number;
  /** The first picture with this face, or the first after a cut: whatever was remembered of the last one is void. */
  readonly isNew: boolean;
}

/** Measured on talking heads: trembling is nearly halved, and the points lag by 0.4 % of the eye distance. */
const TUNING = { restHz: 1, hzPerSpeed: 16, speedHz: 3 };
const PRESENCE_MIN = 0.5;
/** Where the followed face may be in the next picture, as its box's overlap with the last one. */
const FOLLOWED_OVERLAP_MIN = 0.25;
const SAME_PERSON_OVERLAP = 0.15;
/** So long nobody else is taken for the face that was lost. */
const LOYAL_SECONDS = 1;
/** A close look costs more than four meshes: without a face it is taken ever less often, down to this. */
const SEARCH_PAUSE_SECONDS_MAX = 0.4;
const SEARCH_PAUSE_SECONDS_MIN = 0.03;

/**
 * Follows the main face through the pictures of a clip: the largest one at first, then the same person. One mesh
 * per picture (about 2 ms); it searches only when the face is lost or the scene has changed.
 */
export class FaceTracker {
  readonly #reader: FaceReader;
  readonly #filter = new OneEuroFilter(TUNING);
  readonly #blink = new BlinkSense();
  readonly #scene = new SceneChange();
  readonly #weight = new SwapWeight();
  #followed: Float32Array | undefined;
  #lost: { readonly box: FaceBox; readonly sinceSeconds: number } | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #searchPauseSeconds = 0;
  #nextSearchSeconds = Number.NEGATIVE_INFINITY;

  /** Borrows `reader`, which other trackers may use in between. */
  constructor(reader: FaceReader) {
    this.#reader = reader;
  }

  /** The main face of the next picture, or undefined when there is none; one picture at a time. Timestamps grow. */
  async next(picture: Pixels, timestampSeconds: number): Promise<TrackedFace | undefined> {
    const elapsedSeconds = timestampSeconds - this.#last;
    const isCut = this.#scene.next(picture);
    const isFirst = this.#last === Number.NEGATIVE_INFINITY;
    this.#last = timestampSeconds;
    if (isCut) this.#forget();
    const followed = await this.#follow(picture, timestampSeconds);
    const reading = followed ?? (await this.#search(picture, timestampSeconds));
    if (!reading) {
      this.#weight.reset();
      return undefined;
    }
    if (!followed) {
      this.#filter.reset();
      this.#blink.reset();
    }
    const unit = Math.max(eyeDistanceOf(reading.landmarks), 1e-6);
    const landmarks = this.#filter.next(reading.landmarks, elapsedSeconds, unit);
    const lidsClosed = this.#blink.next(reading.landmarks, elapsedSeconds);
    closeLids(landmarks, lidsClosed);
    const { box, yawDegrees } = faceFromLandmarks(landmarks, 1);
    return {
      landmarks,
      rawLandmarks: reading.landmarks,
      yawDegrees,
      presence: reading.presence,
      box,
      weight: this.#weight.next(yawDegrees, elapsedSeconds, isCut || isFirst),
      lidsClosed,
      isNew: !followed,
    };
  }

  /** Forgets all pictures, as before the first. */
  reset(): void {
    this.#forget();
    this.#scene.reset();
    this.#last = Number.NEGATIVE_INFINITY;
  }

  #forget(): void {
    this.#followed = undefined;
    this.#lost = undefined;
    this.#weight.reset();
    this.#searchPauseSeconds = 0;
    this.#nextSearchSeconds = Number.NEGATIVE_INFINITY;
  }

  async #follow(picture: Pixels, nowSeconds: number): Promise<Reading | undefined> {
    const last = this.#followed;
    if (!last) return undefined;
    const box = landmarkBox(last);
    const reading = await this.#reader.follow(picture, last);
    if (
      reading.presence >= PRESENCE_MIN &&
      overlap(box, landmarkBox(reading.landmarks)) > FOLLOWED_OVERLAP_MIN
    ) {
      this.#followed = reading.landmarks;
      return reading;
    }
    this.#followed = undefined;
    this.#lost = { box, sinceSeconds: nowSeconds };
    return undefined;
  }

  async #search(picture: Pixels, nowSeconds: number): Promise<Reading | undefined> {
    const face =
      this.#mainFace(await this.#reader.find(picture, 'coarse'), nowSeconds) ??
      (await this.#searchClosely(picture, nowSeconds));
    if (!face) return undefined;
    this.#searchPauseSeconds = 0;
    this.#lost = undefined;
    this.#followed = face.landmarks;
    return { landmarks: face.landmarks, presence: 1 };
  }

  async #searchClosely(picture: Pixels, nowSeconds: number): Promise<Face | undefined> {
    if (nowSeconds < this.#nextSearchSeconds) return undefined;
    const face = this.#mainFace(await this.#reader.find(picture), nowSeconds);
    if (!face) {
      this.#searchPauseSeconds = Math.min(
        SEARCH_PAUSE_SECONDS_MAX,
        Math.max(SEARCH_PAUSE_SECONDS_MIN, this.#searchPauseSeconds * 1.5),
      );
      this.#nextSearchSeconds = nowSeconds + this.#searchPauseSeconds;
    }
    return face;
  }

  #mainFace(faces: readonly Face[], nowSeconds: number): Face | undefined {
    const lost = this.#lost;
    if (!lost) return largestFace(faces);
    const same = faces.filter((face) => overlap(face.box, lost.box) > SAME_PERSON_OVERLAP);
    if (same.length > 0) return largestFace(same);
    return nowSeconds - lost.sinceSeconds > LOYAL_SECONDS ? largestFace(faces) : undefined;
  }
}

interface Reading {
  readonly landmarks: Float32Array;
  readonly presence: number;
}
