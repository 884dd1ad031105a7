import { once } from 'node:events';
import { WebSocket } from 'ws';
import { systemClock, withDeadline } from '../../../src/base/clock.ts';
import type { MediaServer } from '../../../src/media-server/server.ts';

const TAKEN = '{"type":"taken"}';
const RETURN_MS_MAX = 10_000;

/**
 * A camera that sends pictures to one of the service's sessions or to one of Masquerade's pages, and receives them
 * back.
 */
export class Camera implements Disposable {
  readonly #socket: WebSocket;
  readonly #isPage: boolean;
  #onFrame: (() => void) | undefined;
  /** The number of sent pictures that the other side has not yet received, according to its own reports. */
  ahead = 0;
  /** The number of pictures that were received back. */
  returned = 0;

  private constructor(socket: WebSocket, isPage: boolean) {
    this.#socket = socket;
    this.#isPage = isPage;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) {
        if (data.equals(Buffer.from(TAKEN))) this.ahead -= 1;
        return;
      }
      this.returned += 1;
      if (isPage) socket.send(TAKEN);
      this.#onFrame?.();
    });
  }

  /** Connects directly to a session on the media server. */
  static async direct({ baseUrl, apiKey }: MediaServer): Promise<Camera> {
    const answer = await fetch(`${baseUrl}/full-live-swap/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ duration_minutes: 10 }),
    });
    const session = (await answer.json()) as { stream_url: string; session_token: string };
    const socket = new WebSocket(`${session.stream_url}?session_token=${session.session_token}`, {
      perMessageDeflate: false,
    });
    const camera = new Camera(socket, false);
    await once(socket, 'open');
    return camera;
  }

  /** Enters a page by its link and starts its session. */
  static async page(link: string): Promise<Camera> {
    const { origin, hash } = new URL(link);
    const entered = await fetch(new URL('enter', link), {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ key: hash.slice(1) }),
    });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const url = new URL('socket', link.replace(/^http/, 'ws').replace(/#.*/, ''));
    const socket = new WebSocket(url, { origin, headers: { cookie }, perMessageDeflate: false });
    const camera = new Camera(socket, true);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('Cannot go live: the page was closed')));
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) return;
        const said = data.toString();
        const hello = said.startsWith('{"type":"hello"') && /"version":("[^"]+")/.exec(said)?.[1];
        if (hello) {
          socket.send(`{"type":"agree","version":${hello}}`);
          socket.send('{"type":"start"}');
        }
        if (said.includes('"phase":"live"')) resolve();
      });
    });
    return camera;
  }

  /** Returns the time from sending a picture to receiving it back, in milliseconds. */
  async roundTripMs(jpeg: Uint8Array): Promise<number> {
    const startedAt = performance.now();
    const returned = new Promise<void>((resolve) => (this.#onFrame = resolve));
    this.show(jpeg);
    await withDeadline(systemClock, RETURN_MS_MAX, () => returned);
    return performance.now() - startedAt;
  }

  show(jpeg: Uint8Array): void {
    if (this.#isPage) this.ahead += 1;
    this.#socket.send(jpeg);
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
