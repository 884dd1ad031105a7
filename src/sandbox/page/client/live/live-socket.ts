import { type ReadonlySignal, signal } from '@preact/signals';
import type { PageEvent, PageRequest } from '../../page-wire.ts';

/** The state of the page's connection. `again` means that it was lost and is being opened again. */
type LiveStatus = 'connecting' | 'open' | 'again';

const DELAY_MS_MIN = 300;
const DELAY_MS_MAX = 5_000;
/** The minimum time between two automatic reloads. The page reloads to get a new session when its own has ended. */
const RELOAD_EVERY_MS = 10_000;
const RELOADED_AT = 'chat-reloaded-at';

/**
 * The page's only WebSocket. When the connection is lost, it reconnects by itself and repeats the last request of each
 * kind: the user that it acts as, which audio it receives, and whether it receives the wire panel's entries.
 */
export class LiveSocket {
  readonly #status = signal<LiveStatus>('connecting');
  readonly #listeners = new Set<(event: PageEvent) => void>();
  readonly #hearers = new Set<(packet: Uint8Array) => void>();
  readonly #standing = new Map<PageRequest['t'], PageRequest>();
  #socket: WebSocket | undefined;
  #delayMs = DELAY_MS_MIN;

  get status(): ReadonlySignal<LiveStatus> {
    return this.#status;
  }

  /** Calls `listener` for each event until the returned function is called. */
  listen(listener: (event: PageEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `hearer` for each received audio packet until the returned function is called. */
  hear(hearer: (packet: Uint8Array) => void): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  /** Sends a request now, or as soon as there is a connection, and again after each reconnection. */
  ask(request: PageRequest): void {
    this.#standing.set(request.t, request);
    if (this.#isOpen) this.#socket?.send(JSON.stringify(request));
  }

  /** Sends a microphone packet. It is dropped while there is no connection, or while the connection is slow. */
  say(packet: Uint8Array<ArrayBuffer>): void {
    if (this.#isOpen && (this.#socket?.bufferedAmount ?? 0) < 64 * 1024) this.#socket?.send(packet);
  }

  connect(): void {
    const socket = new WebSocket(new URL('/control/live', location.href.replace(/^http/, 'ws')));
    socket.binaryType = 'arraybuffer';
    let hasOpened = false;
    socket.addEventListener('open', () => {
      hasOpened = true;
      this.#opened();
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => this.#take(data));
    socket.addEventListener('close', () => void this.#closed(hasOpened));
    this.#socket = socket;
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #opened(): void {
    this.#delayMs = DELAY_MS_MIN;
    this.#status.value = 'open';
    const { act, ...rest } = Object.fromEntries(this.#standing);
    for (const request of [act, ...Object.values(rest)]) {
      if (request) this.#socket?.send(JSON.stringify(request));
    }
  }

  #take(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      for (const hearer of this.#hearers) hearer(new Uint8Array(data));
      return;
    }
    const event = JSON.parse(data) as PageEvent;
    for (const listener of this.#listeners) listener(event);
  }

  async #closed(hadOpened: boolean): Promise<void> {
    this.#status.value = 'again';
    if (!hadOpened) await renewSession();
    setTimeout(() => this.connect(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, DELAY_MS_MAX);
  }
}

/** Reloads the page to get a new session if the sandbox rejects the current one, for example after a restart. */
async function renewSession(): Promise<void> {
  const answer = await fetch('/control/faults').catch(() => undefined);
  const reloadedAt = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
  if (answer?.status !== 403 || Date.now() - reloadedAt < RELOAD_EVERY_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}
