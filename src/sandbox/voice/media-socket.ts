import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Clock } from '../../base/clock.ts';

/** The source or destination of datagrams. */
export interface Remote {
  readonly address: string;
  readonly port: number;
}

/** Returns a key that is the same for equal remotes. */
export function remoteKey({ address, port }: Remote): string {
  return `${address}:${port}`;
}

/** The UDP side of the voice server: one socket for all clients, and another that sends forged packets. */
export class MediaSocket implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #socket: Socket = createSocket('udp4');
  readonly #stranger: Socket = createSocket('udp4');
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const socket of [this.#socket, this.#stranger]) socket.on('error', () => undefined);
  }

  /** Binds to any free port of `host` and returns the port. `take` is called with every datagram. */
  async open(host: string, take: (datagram: Buffer, from: Remote) => void): Promise<number> {
    this.#socket.on('message', (datagram, { address, port }) => take(datagram, { address, port }));
    for (const socket of [this.#socket, this.#stranger]) {
      socket.bind(0, host);
      await once(socket, 'listening');
    }
    return this.#socket.address().port;
  }

  send(to: Remote, datagram: Buffer): void {
    if (!this.#isClosed) this.#socket.send(datagram, to.port, to.address);
  }

  /** Sends after `delayMs`, or at once if that is 0. */
  sendLater(to: Remote, datagram: Buffer, delayMs: number): void {
    if (delayMs <= 0) return this.send(to, datagram);
    this.#clock.after(delayMs, () => this.send(to, datagram), { background: true });
  }

  /** Sends from another port, like a different sender. */
  spoof(to: Remote, datagram: Buffer): void {
    if (!this.#isClosed) this.#stranger.send(datagram, to.port, to.address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all(
      [this.#socket, this.#stranger].map((socket) => new Promise<void>((done) => socket.close(done))),
    );
  }
}
