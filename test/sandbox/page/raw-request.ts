import { request } from 'node:http';
import { connect } from 'node:net';

export interface RawRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
}

/**
 * Returns the response status for a request with exactly these headers. (`fetch` does not let a caller set `Host`
 * and `Origin`.)
 */
export function statusAt(
  origin: string,
  { headers, method = 'GET', path = '/control/guilds' }: RawRequest,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

/** Requests a WebSocket at a path and resets the connection at once, without a closing handshake. */
export function upgradeAndVanish(origin: string, path: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: nobody\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
        () => socket.resetAndDestroy(),
      );
    });
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
  });
}
