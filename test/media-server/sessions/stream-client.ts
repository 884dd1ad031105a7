import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import type { ErrorEnvelope, WireVoiceSession } from '../../../src/media-api/wire.ts';

/** A client's end of a session's socket, which records everything received. */
export class StreamClient {
  readonly socket: WebSocket;
  readonly frames: (Buffer | string)[] = [];
  /** Code and reason of the close. */
  readonly closed: Promise<readonly [number, string]>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => this.frames.push(isBinary ? data : data.toString()));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve([code, reason.toString()]));
    });
  }

  send(frame: Uint8Array | string): void {
    this.socket.send(frame);
  }

  /** Waits until `count` binary frames have arrived, and returns all of them. */
  async binary(count: number): Promise<Buffer[]> {
    return await this.#until((frames) => frames.length >= count);
  }

  /** Waits until `size` bytes have arrived in binary frames, and returns all bytes so far. */
  async bytes(size: number): Promise<Buffer> {
    return Buffer.concat(
      await this.#until((frames) => frames.reduce((sum, frame) => sum + frame.length, 0) >= size),
    );
  }

  async #until(isEnough: (frames: readonly Buffer[]) => boolean): Promise<Buffer[]> {
    return await vi.waitFor(
      () => {
        const frames = this.frames.filter((frame) => typeof frame !== 'string');
        if (!isEnough(frames)) throw new Error(`Only ${frames.length} frames have arrived`);
        return frames;
      },
      { interval: 5 },
    );
  }
}

export function streamUrl({ stream_url, session_token }: WireVoiceSession): string {
  return `${stream_url}?session_token=${session_token}`;
}

/** Connects to the session; the socket is closed when the test ends. */
export async function connectStream(
  session: WireVoiceSession,
  options: ClientOptions = {},
): Promise<StreamClient> {
  const socket = new WebSocket(streamUrl(session), options);
  const client = new StreamClient(socket);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return client;
}

/** Tries to connect, and returns the HTTP response that refuses it. */
export async function refusal(url: string): Promise<{ status: number; body: ErrorEnvelope; text: string }> {
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  socket.terminate();
  return { status: response.statusCode ?? 0, body: JSON.parse(text) as ErrorEnvelope, text };
}
