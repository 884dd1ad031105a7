import { once } from 'node:events';
import { createInflate, constants } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export interface RawGateway {
  readonly socket: WebSocket;
  readonly frames: readonly {
    readonly op: number;
    readonly t?: string;
    readonly d?: unknown;
    readonly s?: number;
  }[];
  send(frame: unknown): void;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  frame(op: number): Promise<unknown>;
}

/** Opens a gateway connection without any client library, by default at path `/`, and waits for HELLO. */
export async function useGateway(
  sandbox: Sandbox,
  query = 'v=10&encoding=json',
  url = `ws://${sandbox.cdnHost}/`,
): Promise<RawGateway> {
  const socket = new WebSocket(`${url}?${query}`);
  onTestFinished(() => socket.terminate());
  const frames: { op: number; d?: unknown }[] = [];
  const inflate = createInflate({ flush: constants.Z_SYNC_FLUSH });
  const take = (text: string): void => {
    frames.push(JSON.parse(text) as { op: number });
    socket.emit('frame');
  };
  inflate.on('data', (chunk: Buffer) => take(chunk.toString()));
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) inflate.write(data);
    else take(data.toString());
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  const frame = async (op: number): Promise<unknown> => {
    for (;;) {
      const found = frames.find((entry) => entry.op === op);
      if (found) return found;
      await once(socket, 'frame', { signal: AbortSignal.timeout(5000) });
    }
  };
  await frame(10);
  return { socket, frames, send: (value) => socket.send(JSON.stringify(value)), closed, frame };
}

/** Creates an IDENTIFY for the sandbox's bot. */
export function identify(sandbox: Sandbox, changes: Record<string, unknown> = {}): unknown {
  return {
    op: 2,
    d: {
      token: sandbox.token,
      intents: 1,
      properties: { os: 'linux', browser: 'test', device: 'test' },
      ...changes,
    },
  };
}
