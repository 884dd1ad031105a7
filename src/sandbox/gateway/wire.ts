import { type Deflate, constants, createDeflate } from 'node:zlib';
import type { WebSocket } from 'ws';

/** One client's socket. It sends JSON text or, if the client asked for compression, all messages as one zlib stream. */
export class Wire {
  readonly #socket: WebSocket;
  readonly #deflate: Deflate | undefined;
  #pending: Buffer[] = [];
  #closedHere = false;

  constructor(socket: WebSocket, compressed: boolean) {
    this.#socket = socket;
    if (!compressed) return;
    this.#deflate = createDeflate({ flush: constants.Z_SYNC_FLUSH });
    this.#deflate.on('error', () => this.terminate());
    this.#deflate.on('data', (chunk: Buffer) => this.#pending.push(chunk));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(frame: object): void {
    if (!this.isOpen) return;
    const text = JSON.stringify(frame);
    if (!this.#deflate) return this.#socket.send(text);
    this.#deflate.write(text);
    this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
      const bytes = Buffer.concat(this.#pending);
      this.#pending = [];
      if (bytes.byteLength > 0 && this.isOpen) this.#socket.send(bytes);
    });
  }

  /** Whether this side ended the connection. */
  get closedHere(): boolean {
    return this.#closedHere;
  }

  close(code: number, reason = ''): void {
    this.#closedHere = true;
    this.#socket.close(code, reason);
    this.#deflate?.close();
  }

  /** Cuts the connection without a close frame. */
  terminate(): void {
    this.#closedHere = true;
    this.#socket.terminate();
    this.#deflate?.close();
  }
}
