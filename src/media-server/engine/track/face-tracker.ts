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
import { BlinkDetector, closeLids } from './blink-detector.ts';
import { OneEuroFilter } from './one-euro-filter.ts';
import { SceneChange } from './scene-change.ts';
import { SwapWeight } from './swap-weight.ts';

/** The main face of a clip in one of its frames. Lengths are in pixels of that frame. */
export interface TrackedFace {
  /** 468 points (x, y, z), smoothed against jitter, for drawing. The caller owns them. */
  readonly landmarks: Float32Array;
  /** The points as read in this frame alone, not smoothed, for measuring. */
  readonly rawLandmarks: Float32Array;
  /** Rotation of the head about the vertical axis, from the smoothed points; reliable up to 45 degrees. */
  readonly yawDegrees: number;
  /** The mesh's confidence that there is a face, 0 to 1. */
  readonly presence: number;
  /** A tight box around `landmarks`, which may extend beyond the frame. */
  readonly box: FaceBox;
  /** The opacity of a swap, 0 to 1. It fades to 0 as the head turns from 38 to 45 degrees. */
  readonly weight: number;
  /**
   * How far the lids are closed, 0 to 1. The mesh alone never reads them as closed; in `landmarks` they are
   * corrected.
   */
  readonly lidsClosed: number;
  /**
   * Whether this is the first frame with this face or the first after a cut. If so, data about the previous face is no
   * longer valid.
   */
  readonly isNew: boolean;
}

/** Measured on talking heads: jitter is nearly halved, and the points lag by 0.4 % of the eye distance. */
const TUNING = { restHz: 1, hzPerSpeed: 16, speedHz: 3 };
const PRESENCE_MIN = 0.5;
/** The minimum overlap of a followed face's box with the previous one. */
const FOLLOWED_OVERLAP_MIN = 0.25;
const SAME_PERSON_OVERLAP = 0.15;
/** For this long after a face is lost, no other person's face replaces it. */
const LOYAL_SECONDS = 1;
/**
 * While there is no face, the pause between detections grows up to this limit, because a fine detection takes longer
 * than reading four meshes.
 */
const SEARCH_PAUSE_SECONDS_MAX = 0.4;
const SEARCH_PAUSE_SECONDS_MIN = 0.03;

/**
 * Follows the main face through the frames of a clip: first the largest face, then the same person's. It reads one mesh
 * per frame (about 2 ms) and detects faces only after the face was lost or the scene has changed.
 */
export class FaceTracker {
  readonly #reader: FaceReader;
  readonly #filter = new OneEuroFilter(TUNING);
  readonly #blink = new BlinkDetector();
  readonly #scene = new SceneChange();
  readonly #weight = new SwapWeight();
  #followed: Float32Array | undefined;
  #lost: { readonly box: FaceBox; readonly sinceSeconds: number } | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #searchPauseSeconds = 0;
  #nextSearchSeconds = Number.NEGATIVE_INFINITY;

  /** Borrows `reader`, which other trackers may also use. */
  constructor(reader: FaceReader) {
    this.#reader = reader;
  }

  /**
   * Returns the main face of the next frame, or `undefined` if there is none. Only one call may run at a time, and
   * timestamps must increase.
   */
  async next(picture: Pixels, timestampSeconds: number): Promise<TrackedFace | undefined> {
    const elapsedSeconds = timestampSeconds - this.#last;
    const isCut = this.#scene.next(picture);
    const isFirst = this.#last === Number.NEGATIVE_INFINITY;
    this.#last = timestampSeconds;
    if (isCut) this.#clear();
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

  /** Resets the tracker to its initial state. */
  reset(): void {
    this.#clear();
    this.#scene.reset();
    this.#last = Number.NEGATIVE_INFINITY;
  }

  #clear(): void {
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
