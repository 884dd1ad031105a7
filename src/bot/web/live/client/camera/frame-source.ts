import type { FromFrameWorker, Size, ToFrameWorker } from './frame-messages.ts';

/** Not in every browser, and so not among the types of all. */
declare const MediaStreamTrackProcessor:
  | (new (options: { readonly track: MediaStreamTrack; readonly maxBufferSize: number }) => {
      readonly readable: ReadableStream<VideoFrame>;
    })
  | undefined;

/** JPEGs of an open camera, one whenever it is wanted. Disposing it leaves the camera open. */
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

  /** Asks for one; `onJpeg` gets it, if the camera shows something. */
  next(): void {
    this.#say({ type: 'next' });
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
    this.#video.srcObject = null;
  }

  /** Where no stream of pictures is to be had, they are taken off a video. */
  #show(stream: MediaStream, size: Size): void {
    this.#video.muted = true;
    this.#video.playsInline = true;
    this.#video.srcObject = stream;
    // Where it is taken away before it plays, nobody waits for it.
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
