import type { VideoFrame } from '../codec/codec.ts';
import { eyeDistanceOf } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import { PlateBuilder } from '../head/plate-builder.ts';
import type { TargetPerson } from '../head/head-swapper.ts';
import { findNeck } from '../head/neck.ts';
import { neutralFace } from '../head/neutral-face.ts';
import { type PersonColours, findParts, learnColours } from '../head/person-parts.ts';
import type { Pixels } from '../pixels.ts';
import { FaceTracker, type TrackedFace } from '../track/face-tracker.ts';
import { SceneChange } from '../track/scene-change.ts';

/** The approximate number of frames that are analysed in a clip. */
const STUDIED = 24;
/**
 * The largest number of scenes with their own data, because a 2k plate takes 10 MB. If a clip has more scenes, the
 * further ones are treated as part of the last scene with its own data.
 */
const SCENES_MAX = 8;

/** The person in one scene of a clip. */
interface StudiedScene {
  readonly person: TargetPerson;
  /**
   * The time at which the analysis last saw the scene. The scene may continue until the analysis first sees the next
   * scene.
   */
  readonly lastSeconds: number;
}

/**
 * Analyses a clip scene by scene before it is rendered. Returns an empty list if no frame shows a face that can be
 * replaced.
 */
export async function studyClip(
  frames: AsyncIterable<VideoFrame>,
  frameCount: number,
  reader: FaceReader,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: () => void },
): Promise<StudiedScene[]> {
  const tracker = new FaceTracker(reader);
  const change = new SceneChange();
  const step = Math.max(1, Math.floor(frameCount / STUDIED));
  const scenes: StudiedScene[] = [];
  let scene: SceneStudy | undefined;
  let n = 0;
  for await (const frame of frames) {
    signal.throwIfAborted();
    progress();
    if (n++ % step !== 0) continue;
    const { pixels, timestamp } = frame;
    const isCut = change.next(pixels);
    const face = await tracker.next(pixels, timestamp);
    if (isCut && scene && scenes.length < SCENES_MAX - 1) {
      scenes.push(scene.finish());
      scene = undefined;
    }
    if (!face || face.weight < 1) continue;
    scene ??= new SceneStudy(pixels, face);
    scene.add(pixels, face, timestamp);
  }
  return scene ? [...scenes, scene.finish()] : scenes;
}

/**
 * Returns the person in the scene that, according to the analysis, is visible at this time. Returns `undefined` if
 * there are no scenes.
 */
export function personAt(scenes: readonly StudiedScene[], seconds: number): TargetPerson | undefined {
  return (scenes.find(({ lastSeconds }) => lastSeconds >= seconds) ?? scenes.at(-1))?.person;
}

/** The data about one scene so far. */
class SceneStudy {
  readonly #colours: PersonColours;
  readonly #plate: PlateBuilder;
  readonly #readings: Float32Array[] = [];
  #lastSeconds = 0;

  constructor(first: Pixels, { rawLandmarks }: TrackedFace) {
    this.#colours = learnColours(first, rawLandmarks);
    this.#plate = new PlateBuilder(first.width, first.height);
  }

  add(pixels: Pixels, { rawLandmarks }: TrackedFace, seconds: number): void {
    this.#readings.push(rawLandmarks);
    this.#lastSeconds = seconds;
    const parts = findParts(pixels, rawLandmarks, this.#colours, 'quickly');
    const neck = findNeck(parts, rawLandmarks, this.#colours);
    this.#plate.add(pixels, parts, neck, eyeDistanceOf(rawLandmarks));
  }

  finish(): StudiedScene {
    const neutral = neutralFace(this.#readings);
    const person = { neutral, colours: this.#colours, plate: this.#plate.finish() };
    return { person, lastSeconds: this.#lastSeconds };
  }
}
