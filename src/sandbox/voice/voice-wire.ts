import type { WebSocket } from 'ws';

/** One client's WebSocket connection to the voice gateway. */
export class VoiceWire {
  readonly #socket: WebSocket;
  #closedHere = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether this side ended the connection. */
  get closedHere(): boolean {
    return this.#closedHere;
  }

  send(data: string | Buffer): void {
    if (this.isOpen) this.#socket.send(data);
  }

  /** Ends the connection. The code 1006 terminates it without a close frame. */
  close(code: number, reason = ''): void {
    this.#closedHere = true;
    if (code === 1006) this.#socket.terminate();
    else this.#socket.close(code, reason.slice(0, 120));
  }
}
