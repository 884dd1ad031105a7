import { type ReadonlySignal, signal } from '@preact/signals';
import type { CloseCode, OutputMessage, OutputProtocol, ToOutput } from '../../live-wire.ts';
import { AlteredPicture } from '../picture/altered-picture.ts';

const PROTOCOL: OutputProtocol = 'masquerade-live-output';
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 15_000;
const TAKEN: OutputMessage = { type: 'taken' };

/** After `lost`, another attempt to connect starts automatically; after `gone`, none does. */
export type OutputState = 'opening' | ToOutput['phase'] | 'lost' | 'gone';

/** Shows the server's pictures, and reconnects when the connection breaks. */
export class OutputLink {
  readonly picture: AlteredPicture = new AlteredPicture();
  readonly #key: string;
  readonly #state = signal<OutputState>('opening');
  #socket: WebSocket | null = null;
  #retryMs = RETRY_MS;

  constructor(key: string) {
    this.#key = key;
  }

  get state(): ReadonlySignal<OutputState> {
    return this.#state;
  }

  open(): void {
    // The key is sent as the name of a subprotocol. The browser would throw if the key were not valid as such a name.
    if (!/^[\w-]{43}$/.test(this.#key)) return this.#become('gone');
    const url = new URL('socket', location.href);
    url.hash = '';
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, [PROTOCOL, this.#key]);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string') return this.#hear(JSON.parse(data) as ToOutput);
      socket.send(JSON.stringify(TAKEN));
      if (this.#state.value === 'live') this.picture.show(data);
    });
    socket.addEventListener('close', ({ code }) => this.#closed(code as CloseCode));
    this.#socket = socket;
  }

  leave(): void {
    this.#become('gone');
    this.#socket?.close();
  }

  #hear({ phase }: ToOutput): void {
    this.#retryMs = RETRY_MS;
    this.#become(phase);
  }

  #closed(code: CloseCode): void {
    if (this.#state.value === 'gone') return;
    if (code === 4000 || code === 4002) return this.#become('gone');
    this.#become('lost');
    setTimeout(() => {
      if (this.#state.value === 'lost') this.open();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }

  #become(state: OutputState): void {
    this.#state.value = state;
    if (state !== 'live') this.picture.clear();
  }
}
