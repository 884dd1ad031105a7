import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

export interface HeldSocketsOptions {
  readonly url: string;
  readonly count: number;
  /** The text that each connection sends at once. */
  readonly text: string;
  /** The text that each connection then sends repeatedly. Default: nothing. */
  readonly drip?: { readonly text: string; readonly everyMs: number };
  /** Whether the client reads what the server sends. Default true. */
  readonly reads?: boolean;
}

/** Connections that are opened and held to keep other callers out. Disposing it closes them. */
export class HeldSockets implements Disposable {
  readonly #sockets: readonly Socket[];
  readonly #dripping: NodeJS.Timeout | undefined;
  /** Resolves once every connection has been opened or refused. */
  readonly opened: Promise<unknown>;
  #ended = 0;

  constructor({ url, count, text, drip, reads = true }: HeldSocketsOptions) {
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    this.#sockets = Array.from({ length: count }, () => {
      const socket = connect({ host, port: Number(port) }, () => socket.write(text));
      socket.on('error', () => undefined);
      socket.once('close', () => (this.#ended += 1));
      return reads ? socket.resume() : socket;
    });
    this.opened = Promise.all(
      this.#sockets.map((socket) =>
        Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined),
      ),
    );
    if (drip) this.#dripping = setInterval(() => this.#drip(drip.text), drip.everyMs);
  }

  /** Number of open connections. */
  get held(): number {
    return this.#sockets.length - this.#ended;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#dripping);
    for (const socket of this.#sockets) socket.destroy();
  }

  #drip(text: string): void {
    for (const socket of this.#sockets) if (socket.writable) socket.write(text);
  }
}
