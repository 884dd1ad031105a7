import { type ReadonlySignal, signal } from '@preact/signals';
import { CAMERA_STOPPED, NO_CAMERAS_HERE, cameraProblem } from './camera-problem.ts';

export type CameraState =
  | { readonly kind: 'off' }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'on';
      readonly stream: MediaStream;
      readonly track: MediaStreamTrack;
      readonly id: string;
    }
  | { readonly kind: 'failed'; readonly text: string };

interface CameraChoice {
  readonly id: string;
  readonly name: string;
}

const FRAME_RATE = 30;

/** The member's cameras, of which at most one is open. */
export class Camera {
  readonly #state = signal<CameraState>({ kind: 'off' });
  readonly #choices = signal<readonly CameraChoice[]>([]);
  #opened = 0;

  constructor() {
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.#list());
  }

  get state(): ReadonlySignal<CameraState> {
    return this.#state;
  }

  /** The available cameras, which browsers reveal only after one has been opened. */
  get choices(): ReadonlySignal<readonly CameraChoice[]> {
    return this.#choices;
  }

  /** Opens the camera with this id (default: the camera that the browser prefers) after closing any open camera. */
  async open(
    { width, height }: { readonly width: number; readonly height: number },
    id?: string,
  ): Promise<void> {
    this.close();
    if (!navigator.mediaDevices) {
      this.#state.value = { kind: 'failed', text: NO_CAMERAS_HERE };
      return;
    }
    const opened = this.#opened;
    this.#state.value = { kind: 'opening' };
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        video: {
          ...(id === undefined ? {} : { deviceId: { exact: id } }),
          width: { ideal: width },
          height: { ideal: height },
          frameRate: { ideal: FRAME_RATE },
        },
      });
      if (opened !== this.#opened) return stop(stream);
      this.#show(stream);
    } catch (error) {
      if (opened === this.#opened) this.#state.value = { kind: 'failed', text: cameraProblem(error) };
    }
    await this.#list();
  }

  /** Closes the camera, so that its light goes out. */
  close(): void {
    this.#opened += 1;
    const state = this.#state.value;
    if (state.kind === 'on') stop(state.stream);
    this.#state.value = { kind: 'off' };
  }

  #show(stream: MediaStream): void {
    const [track] = stream.getVideoTracks();
    if (!track) throw new DOMException('No picture', 'NotFoundError');
    const id = track.getSettings().deviceId ?? '';
    this.#state.value = { kind: 'on', stream, track, id };
    track.addEventListener('ended', () => {
      const state = this.#state.value;
      if (state.kind !== 'on' || state.track !== track) return;
      this.#state.value = { kind: 'failed', text: CAMERA_STOPPED };
    });
  }

  async #list(): Promise<void> {
    const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    this.#choices.value = devices
      .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
      .map(({ deviceId, label }, n) => ({ id: deviceId, name: label === '' ? `Camera ${n + 1}` : label }));
  }
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
