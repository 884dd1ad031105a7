import type { Duplex } from 'node:stream';

/** Answers a WebSocket upgrade with a bare status such as `403 Forbidden` and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  // The socket has no other error listener. Without this one, a peer that has already disconnected would end the
  // program.
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
