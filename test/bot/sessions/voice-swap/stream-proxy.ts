import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SeededNoise } from '../../../../src/audio/seeded-noise.ts';

/** The fault of a stream on its way from the service to the bot. */
export type StreamFault =
  /** Converted sound never arrives. */
  | 'silent'
  /** Nothing arrives, not even the configuration frame. */
  | 'mute'
  /** Converted sound arrives in arbitrary pieces, which also split samples, mixed with meaningless text messages. */
  | 'ragged';

const BYTES_MAX = 701;
const TEXTS = ['', 'hello', '{"type":"stats","fps":50}', '[]', '{"sample_rate":"none"}', '\u0000'];

/** One stream between the bot and the service. */
export class ProxiedStream {
  /** The number of bytes that the bot sent. */
  sent = 0;
  readonly #bot: WebSocket;
  readonly #service: WebSocket;
  readonly #tcp: Socket;
  readonly #noise = new SeededNoise(5);

  constructor(bot: WebSocket, service: WebSocket, tcp: Socket, fault: StreamFault | null) {
    this.#bot = bot;
    this.#service = service;
    this.#tcp = tcp;
    for (const side of [bot, service]) side.on('error', () => undefined);
    bot.on('message', (data: Buffer, isBinary) => {
      this.sent += data.length;
      if (service.readyState === WebSocket.OPEN) service.send(data, { binary: isBinary });
    });
    service.on('message', (data: Buffer, isBinary) => this.#pass(data, isBinary, fault));
    bot.on('close', () => service.terminate());
    service.on('close', (code, reason) => {
      if (code === 1006 || code === 1005) bot.terminate();
      else bot.close(code, reason);
    });
  }

  /** Whether the connection to the bot is still open. */
  get isOpen(): boolean {
    return this.#bot.readyState === WebSocket.OPEN && !this.#tcp.closed;
  }

  /** Cuts the connection without a close frame. */
  cut(): void {
    this.#tcp.destroy();
    this.#service.terminate();
  }

  /** Stops all traffic without closing the connection, like a dead link. */
  freeze(): void {
    this.#tcp.pause();
    this.#bot.removeAllListeners('message');
    this.#service.pause();
  }

  #pass(data: Buffer, isBinary: boolean, fault: StreamFault | null): void {
    if (fault === 'mute' || (fault === 'silent' && isBinary)) return;
    if (this.#bot.readyState !== WebSocket.OPEN) return;
    if (fault !== 'ragged' || !isBinary) return this.#bot.send(data, { binary: isBinary });
    for (let at = 0; at < data.length;) {
      const size = 1 + Math.floor(this.#noise.next() * BYTES_MAX);
      this.#bot.send(data.subarray(at, at + size), { binary: true });
      at += size;
    }
    this.#bot.send(TEXTS[Math.floor(this.#noise.next() * TEXTS.length)] ?? '');
  }
}

/** A proxy on loopback between the bot and the service's streams. It is closed when the test ends. */
export class StreamProxy {
  /** The proxy's origin, which the service must use as its public URL. */
  readonly origin: string;
  readonly streams: ProxiedStream[] = [];
  /** The tokens of all streams, which are secrets. */
  readonly tokens: string[] = [];
  /** The service's origin, once it is known. */
  target = '';
  /** The fault that later streams will have. */
  fault: StreamFault | null = null;

  private constructor(server: Server) {
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sockets = new WebSocketServer({ server, perMessageDeflate: false });
    sockets.on('connection', (bot, request) => this.#connect(bot, request));
    onTestFinished(async () => {
      for (const stream of this.streams) stream.cut();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
  }

  static async open(): Promise<StreamProxy> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new StreamProxy(server);
  }

  /** The most recently connected stream. */
  get last(): ProxiedStream {
    const last = this.streams.at(-1);
    if (!last) throw new Error('There was no stream');
    return last;
  }

  get open(): readonly ProxiedStream[] {
    return this.streams.filter(({ isOpen }) => isOpen);
  }

  #connect(bot: WebSocket, { url = '/', socket }: IncomingMessage): void {
    const address = new URL(url, this.target.replace(/^http/, 'ws'));
    this.tokens.push(address.searchParams.get('session_token') ?? '');
    const service = new WebSocket(address, { perMessageDeflate: false });
    this.streams.push(new ProxiedStream(bot, service, socket, this.fault));
  }
}
