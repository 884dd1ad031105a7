import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { WireVoiceSession } from '../../../src/media-api/wire.ts';

const CONNECT_MS = 30_000;
const FRAME_MS = 30_000;

/** The client's end of a session's socket. */
export class Stream {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  #bytes: Buffer = Buffer.alloc(0);

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#bytes = Buffer.concat([this.#bytes, data]);
      else this.texts.push(data.toString());
    });
  }

  /** Returns the first text frame, which the service sends unprompted. */
  async greeting(): Promise<string> {
    return await vi.waitFor(() => this.texts[0] ?? fail('no text frame'), {
      timeout: FRAME_MS,
      interval: 10,
    });
  }

  /** Returns the first `size` bytes of all binary frames. */
  async bytes(size: number): Promise<Buffer> {
    return await vi.waitFor(
      () =>
        this.#bytes.length >= size ? this.#bytes.subarray(0, size) : fail(`${this.#bytes.length} bytes`),
      { timeout: FRAME_MS, interval: 10 },
    );
  }

  async close(): Promise<void> {
    this.socket.close();
    if (this.socket.readyState !== WebSocket.CLOSED) await once(this.socket, 'close');
  }
}

/** Connects with a token. Resolves with `undefined` if the service refuses the connection. */
export async function connectStream(
  { stream_url: url }: WireVoiceSession,
  token: string,
): Promise<Stream | undefined> {
  const socket = new WebSocket(`${url}?session_token=${encodeURIComponent(token)}`, {
    handshakeTimeout: CONNECT_MS,
  });
  const stream = new Stream(socket);
  onTestFinished(() => socket.terminate());
  return await new Promise((resolve) => {
    socket.once('open', () => resolve(stream));
    socket.once('close', () => resolve(undefined));
  });
}

function fail(have: string): never {
  throw new Error(`Only ${have} have arrived so far`);
}
