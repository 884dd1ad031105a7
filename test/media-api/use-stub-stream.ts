import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

/** One connection, as the stub sees it. */
export interface StubStream {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** Every byte that was received after the handshake. */
  readonly wire: Buffer[];
  /** Binary messages. */
  readonly frames: Buffer[];
  readonly closed: Promise<number>;
  /** Stops reading, and therefore answering pings, like a dead link or a stuck peer. */
  stall(): void;
  /** Cuts the connection without a close frame. */
  cut(): void;
}

export interface StubStreams {
  /** The stub's URL, with the scheme `ws:`. */
  readonly url: string;
  readonly streams: readonly StubStream[];
}

/** Starts a scriptable WebSocket server on loopback, closed with all its connections when the test ends. */
export async function useStubStream(
  onStream: (stream: StubStream) => void = () => undefined,
): Promise<StubStreams> {
  const streams: StubStream[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    const stream = observe(socket, request);
    streams.push(stream);
    onStream(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, streams };
}

function observe(socket: WebSocket, request: IncomingMessage): StubStream {
  const wire: Buffer[] = [];
  const frames: Buffer[] = [];
  const tcp: Socket = request.socket;
  tcp.on('data', (bytes: Buffer) => wire.push(bytes));
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) frames.push(data);
  });
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  return {
    socket,
    request,
    wire,
    frames,
    closed,
    stall: () => void tcp.pause(),
    cut: () => void tcp.destroy(),
  };
}
