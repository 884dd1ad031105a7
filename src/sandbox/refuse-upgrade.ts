import type { Duplex } from 'node:stream';

/** Answers a WebSocket upgrade with a bare status such as `403 Forbidden` and lets the connection go. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  // Nobody else listens any more: a peer that is gone already would else end the program.
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
