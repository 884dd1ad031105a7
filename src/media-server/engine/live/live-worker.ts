import { FaceReader } from '../face/face-reader.ts';
import { onGrey } from '../photo/on-grey.ts';
import { PictureFiles } from '../photo/picture-file.ts';
import { serveTasks } from '../pool/serve-tasks.ts';
import { RenderError } from '../render-error.ts';
import { FaceSwapper } from '../swap/face-swapper.ts';
import { type SourceFace, cutSourceFace } from '../swap/source-face.ts';
import { SwapMemory } from '../swap/swap-memory.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { LiveFrames } from './live-frames.ts';
import { liveTaskSchema } from './live-task.ts';

/**
 * The picture of the face to wear is shrunk so that its longer side has at most this many pixels, because it needs no
 * more detail.
 */
const FACE_PICTURE_SIZE_MAX = 1024;

await serveTasks(async () => {
  const reader = await FaceReader.load();
  const files = await PictureFiles.load();
  const frames = await LiveFrames.load();
  const tracker = new FaceTracker(reader);
  const swapper = new FaceSwapper();
  const memory = new SwapMemory();
  let worn: SourceFace | undefined;

  async function wear(facePath: string): Promise<void> {
    const picture = onGrey(await files.decode(facePath, 'face image', FACE_PICTURE_SIZE_MAX));
    const face = await reader.findMain(picture);
    if (!face) throw new RenderError('face_not_detected', 'Cannot find a face in the face image');
    worn = cutSourceFace(picture, face);
    tracker.reset();
  }

  async function swap(jpeg: Uint8Array, seconds: number): Promise<Uint8Array> {
    if (!worn) throw new TypeError('Cannot swap without a face to wear');
    const picture = frames.decode(jpeg);
    const face = await tracker.next(picture, seconds);
    if (face?.isNew) memory.reset();
    const changed =
      face && swapper.swap(picture, face.landmarks, worn, { weight: face.weight, memory, seconds });
    return changed ? frames.encode(picture) : jpeg;
  }

  return async (input) => {
    const task = liveTaskSchema.parse(input);
    if (task.kind === 'frame') return { result: await swap(task.jpeg, task.seconds) };
    return { result: await wear(task.facePath) };
  };
});
