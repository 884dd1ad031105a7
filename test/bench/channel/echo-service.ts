import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { VOICE } from './speech.ts';

/**
 * A voice service that returns the received sound at once, so that the benchmark measures everything else.
 */
export class EchoService implements AsyncDisposable {
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer) {
    this.#server = server;
  }

  static async start(): Promise<EchoService> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
    server.on('connection', (socket) => {
      socket.send(JSON.stringify({ sample_rate: VOICE.rateHz, chunk_frames: VOICE.frame }));
      socket.on('message', (data, isBinary) => {
        if (isBinary && Buffer.isBuffer(data)) socket.send(data);
      });
    });
    await once(server, 'listening');
    return new EchoService(server);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `ws://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
