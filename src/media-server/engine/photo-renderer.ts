import { type Face, largestFace } from './face/face.ts';
import { FaceReader } from './face/face-reader.ts';
import { RenderError } from './render-error.ts';
import { type EncodedPicture, PictureFiles } from './picture-file.ts';
import type { Pixels } from './pixels.ts';
import { FaceSwapper } from './swap/face-swapper.ts';
import { cutSourceFace } from './swap/source-face.ts';

/** A source face needs no more detail than this, in pixels of the whole picture. */
const FACE_PICTURE_SIZE_MAX = 2560;

const BACKDROP = 127;

/** Does the work of a photo swap on the calling thread: lives in a worker, one per thread. */
export class PhotoRenderer implements AsyncDisposable {
  readonly #files: PictureFiles;
  readonly #reader: FaceReader;
  readonly #swapper = new FaceSwapper();

  private constructor(files: PictureFiles, reader: FaceReader) {
    this.#files = files;
    this.#reader = reader;
  }

  /** Loads the networks. Throws when an optional package is missing, naming it. */
  static async load(): Promise<PhotoRenderer> {
    return new PhotoRenderer(await PictureFiles.load(), await FaceReader.load());
  }

  /** Puts the largest face of one picture on the largest face of the other. Throws `RenderError`. */
  async swap(imagePath: string, facePath: string): Promise<EncodedPicture> {
    const [base, person] = await Promise.all([
      this.#files.decode(imagePath, 'base image'),
      this.#files.decode(facePath, 'face image', FACE_PICTURE_SIZE_MAX),
    ]);
    const opaquePerson = person.hasAlpha ? onGrey(person) : person;
    const face = this.#mainFace(opaquePerson, 'face image');
    const target = this.#mainFace(base.hasAlpha ? onGrey(base) : base, 'base image');
    this.#swapper.swap(base, target.landmarks, cutSourceFace(opaquePerson, face));
    return this.#files.encode(base, base);
  }

  /** All faces of a picture file, largest first. Throws `RenderError` when it cannot be decoded. */
  async find(path: string): Promise<Face[]> {
    const picture = await this.#files.decode(path, 'image');
    const faces = this.#reader.find(picture.hasAlpha ? onGrey(picture) : picture);
    return faces.sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#reader[Symbol.asyncDispose]();
  }

  #mainFace(picture: Pixels, name: string): Face {
    const face = largestFace(this.#reader.find(picture));
    if (!face) throw new RenderError('face_not_detected', `Cannot find a face in the ${name}`);
    return face;
  }
}

/** What lies under transparency is arbitrary and must not be taken for a face. */
function onGrey({ width, height, data }: Pixels): Pixels {
  const flat = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    for (let channel = 0; channel < 3; channel++) {
      flat[at + channel] = ((data[at + channel] ?? 0) * alpha + BACKDROP * (255 - alpha)) / 255;
    }
    flat[at + 3] = 255;
  }
  return { width, height, data: flat };
}
