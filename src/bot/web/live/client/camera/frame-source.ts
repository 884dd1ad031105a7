import type { FromFrameWorker, Size, ToFrameWorker } from './frame-messages.ts';

/** Some browsers do not have this class, so TypeScript's types do not declare it. */
declare const MediaStreamTrackProcessor:
  | (new (options: { readonly track: MediaStreamTrack; readonly maxBufferSize: number }) => {
      readonly readable: ReadableStream<VideoFrame>;
    })
  | undefined;

/** Encodes pictures of an open camera as JPEGs on request. Disposing it leaves the camera open. */
export class FrameSource implements Disposable {
  readonly #worker: Worker;
  readonly #onJpeg: (jpeg: ArrayBuffer) => void;
  readonly #video = document.createElement('video');

  constructor(
    { stream, track }: { readonly stream: MediaStream; readonly track: MediaStreamTrack },
    size: Size,
    onJpeg: (jpeg: ArrayBuffer) => void,
  ) {
    this.#onJpeg = onJpeg;
    this.#worker = new Worker(new URL('./frame-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromFrameWorker>) => this.#take(data));
    if (typeof MediaStreamTrackProcessor === 'undefined') {
      this.#show(stream, size);
      return;
    }
    const { readable } = new MediaStreamTrackProcessor({ track, maxBufferSize: 1 });
    this.#say({ type: 'stream', frames: readable, size }, [readable]);
  }

  /** Requests a JPEG. `onJpeg` receives it, provided that the camera delivers a picture. */
  next(): void {
    this.#say({ type: 'next' });
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
    this.#video.srcObject = null;
  }

  /** Captures pictures from a video element if the browser cannot provide a stream of pictures. */
  #show(stream: MediaStream, size: Size): void {
    this.#video.muted = true;
    this.#video.playsInline = true;
    this.#video.srcObject = stream;
    // The video may be removed before it plays.
    void this.#video.play().catch(() => undefined);
    this.#say({ type: 'asked', size });
  }

  #take(message: FromFrameWorker): void {
    if (message.type === 'jpeg') this.#onJpeg(message.bytes);
    else void this.#answer();
  }

  async #answer(): Promise<void> {
    const picture = await createImageBitmap(this.#video).catch(() => null);
    this.#say({ type: 'picture', picture }, picture ? [picture] : []);
  }

  #say(message: ToFrameWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
