import { type ReadonlySignal, signal } from '@preact/signals';
import type { CloseCode, PageMessage, ToPage } from '../../live-wire.ts';
import { type Entered, enter, isReachable } from './enter.ts';

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 10_000;

export type LinkState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly socket: WebSocket }
  /** The connection broke; another attempt starts automatically. */
  | { readonly kind: 'lost' }
  /** Another of the member's pages has replaced this one. */
  | { readonly kind: 'replaced' }
  /** The session has ended, and no message follows. */
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly why: Exclude<Entered, 'entered' | 'unreachable'> };

/** Receives the server's messages while the link is open. */
interface LinkHandlers {
  onMessage(message: ToPage): void;
  onPicture(jpeg: ArrayBuffer): void;
}

/**
 * The page's connection to the server: exchanges the link's key, connects, and reconnects when the connection breaks.
 */
export class LiveLink {
  readonly #state = signal<LinkState>({ kind: 'opening' });
  readonly #handlers: LinkHandlers;
  #key: string | null;
  #retryMs = RETRY_MS;

  constructor(key: string | null, handlers: LinkHandlers) {
    this.#key = key;
    this.#handlers = handlers;
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state;
  }

  /** Connects, and replaces any other page of the member, even one that has replaced this one. */
  async open(): Promise<void> {
    this.#state.value = { kind: 'opening' };
    const refusal = await this.#enter();
    if (refusal === 'unreachable') return this.#retry();
    // The cookie may still be valid if this browser used the link before.
    if (refusal === null || refusal === 'gone') return this.#connect();
    this.#state.value = { kind: 'refused', why: refusal };
  }

  say(message: PageMessage): void {
    const state = this.#state.value;
    if (state.kind === 'open' && state.socket.readyState === WebSocket.OPEN) {
      state.socket.send(JSON.stringify(message));
    }
  }

  /** Closes the connection when the member leaves the page. */
  leave(): void {
    const state = this.#state.value;
    this.#state.value = { kind: 'over' };
    if (state.kind === 'open') state.socket.close();
  }

  async #enter(): Promise<Exclude<Entered, 'entered'> | null> {
    if (this.#key === null) return null;
    const entered = await enter(this.#key);
    if (entered !== 'unreachable') this.#key = null;
    return entered === 'entered' ? null : entered;
  }

  #connect(): void {
    const url = new URL('socket', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    let wasOpen = false;
    socket.addEventListener('open', () => {
      wasOpen = true;
      this.#retryMs = RETRY_MS;
      this.#state.value = { kind: 'open', socket };
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') return this.#handlers.onPicture(data);
      this.#handlers.onMessage(JSON.parse(data) as ToPage);
    });
    socket.addEventListener('close', ({ code }) => void this.#closed(code, wasOpen));
  }

  async #closed(code: number, wasOpen: boolean): Promise<void> {
    if (this.#state.value.kind === 'over') return;
    const told = CLOSED[code as CloseCode];
    if (told) {
      this.#state.value = told;
      return;
    }
    // The socket was refused if it never opened although the server answers other requests.
    const isRefused = !wasOpen && (await isReachable());
    if (isRefused) this.#state.value = { kind: 'refused', why: 'gone' };
    else this.#retry();
  }

  #retry(): void {
    this.#state.value = { kind: 'lost' };
    setTimeout(() => {
      if (this.#state.value.kind === 'lost') void this.open();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}

const CLOSED: Partial<Record<CloseCode, LinkState>> = {
  4000: { kind: 'over' },
  4001: { kind: 'replaced' },
};
