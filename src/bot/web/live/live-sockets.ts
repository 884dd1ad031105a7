import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { FRAME_RULES } from './frame-rules.ts';
import { isKey, passOf } from './pass-cookie.ts';
import type { LiveWeb } from './live-web.ts';
import type { OutputProtocol } from './live-wire.ts';
import { showOutput } from './show-output.ts';
import { seatPage } from './seat-page.ts';
import { Peer } from './peer.ts';
import type { UpgradeTaker } from './take-upgrades.ts';

const PAGE_SOCKET = '/live/socket';
const OUTPUT_SOCKET = '/live/out/socket';
export const SOCKET_PATHS: readonly string[] = [PAGE_SOCKET, OUTPUT_SOCKET];
const OUTPUT_PROTOCOL: OutputProtocol = 'masquerade-live-output';
/** The largest message on an output socket, whose page only sends acknowledgements. */
const ANSWER_BYTES_MAX = 4_096;
const SOCKETS_MAX = 1_000;

/** Accepts the pages' WebSockets. An invalid request is refused before the upgrade, with a status and no body. */
export class LiveSockets implements UpgradeTaker, Disposable {
  readonly #web: LiveWeb;
  readonly #prefix: string;
  readonly #peers = new Set<Peer>();
  readonly #pages = handshake(FRAME_RULES.bytesMax);
  readonly #outputs = handshake(ANSWER_BYTES_MAX);

  constructor(web: LiveWeb, prefix: string) {
    this.#web = web;
    this.#prefix = prefix;
  }

  isOurs(path: string): boolean {
    return SOCKET_PATHS.some((own) => path === `${this.#prefix}${own}`);
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { pages, pageUrl, isOpen } = this.#web;
    const url = pageUrl();
    if (!isOpen() || !url || this.#peers.size >= SOCKETS_MAX) return refuse(socket, 503);
    if (request.headers.origin !== url.origin) return refuse(socket, 403);
    const isOutput = request.url?.split('?', 1)[0] === `${this.#prefix}${OUTPUT_SOCKET}`;
    if (isOutput) {
      const key = outputKeyOf(request);
      if (key === undefined || !pages.hasOutput(key)) return refuse(socket, 401);
      return this.#accept(this.#outputs, [request, socket, head], (peer) => showOutput(peer, key, pages));
    }
    const pass = passOf(request.headers.cookie);
    if (pass === undefined || !pages.hasPass(pass)) return refuse(socket, 401);
    const outputUrl = (key: string): string => `${new URL('out/', url).href}#${key}`;
    this.#accept(this.#pages, [request, socket, head], (peer) => seatPage(peer, pass, { pages, outputUrl }));
  }

  /** Closes all sockets without a close message. */
  [Symbol.dispose](): void {
    for (const peer of this.#peers) peer.terminate();
  }

  #accept(
    server: WebSocketServer,
    [request, socket, head]: readonly [IncomingMessage, Duplex, Buffer],
    connect: (peer: Peer) => void,
  ): void {
    server.handleUpgrade(request, socket, head, (stream: WebSocket) => {
      const peer = new Peer(stream);
      this.#peers.add(peer);
      stream.once('close', () => this.#peers.delete(peer));
      connect(peer);
    });
  }
}

function handshake(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    handleProtocols: (offered) => (offered.has(OUTPUT_PROTOCOL) ? OUTPUT_PROTOCOL : false),
  });
}

/**
 * Returns the output's key, which the page sends as the second subprotocol, because a script cannot add headers to a
 * WebSocket request, and a key in the address would be logged.
 */
function outputKeyOf({ headers }: IncomingMessage): string | undefined {
  const [protocol, key = ''] = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((part) => part.trim());
  return protocol === OUTPUT_PROTOCOL && isKey(key) ? key : undefined;
}

function refuse(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
