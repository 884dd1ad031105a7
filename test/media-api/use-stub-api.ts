import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { MediaApi } from '../../src/media-api/media-api.ts';

/** A request that the stub received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers one request; `read` reads its body to the end and records it. */
export type Reply = (
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<void>,
) => void | Promise<void>;

export interface StubApi {
  readonly origin: string;
  readonly baseUrl: string;
  readonly server: Server;
  /** The requests, each recorded once its body has been read. */
  readonly received: readonly Received[];
  /** Returns the number of requests that have started to arrive. */
  readonly arrivals: () => number;
  /** Sets the replies to the next requests, in order; the last one repeats. */
  script(...replies: readonly Reply[]): void;
}

/** Starts a scriptable HTTP server on loopback, closed with all its connections when the test ends. */
export async function useStubApi(...replies: readonly Reply[]): Promise<StubApi> {
  const received: Received[] = [];
  let arrivals = 0;
  let left = [...replies];
  const server = createServer((request, response) => {
    arrivals += 1;
    const reply = left.length > 1 ? left.shift() : left[0];
    // A reply fails if its connection is lost, which many of these tests intend.
    const lost = (): void => void response.destroy();
    request.on('error', lost);
    Promise.resolve(
      reply?.(request, response, async () => {
        const chunks = await Array.fromAsync<Buffer>(request);
        const { method = '', url = '', headers } = request;
        received.push({ method, url, headers, body: Buffer.concat(chunks) });
      }),
    ).catch(lost);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    server,
    received,
    arrivals: () => arrivals,
    script: (...next) => void (left = [...next]),
  };
}

const QUICK_RETRIES = { retryDelayMsFirst: 4, retryDelayMsMax: 20 };

/** Creates a client of `stub` with a high rate limit and short deadlines, disposed when the test ends. */
export function useClient(
  stub: { readonly baseUrl: string },
  options: Partial<ConstructorParameters<typeof MediaApi>[0]> = {},
): MediaApi {
  const { limits, ...rest } = options;
  const api = new MediaApi({
    baseUrl: stub.baseUrl,
    apiKey: 'key-of-the-test',
    requestsPerMinute: 1000,
    ...rest,
    limits: { connectMs: 2000, headersMs: 5000, totalMs: 10_000, ...QUICK_RETRIES, ...limits },
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  return api;
}

/** Reads the whole request, then answers with JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return text(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

/** Reads the whole request, then answers with these bytes. */
export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return async (_request, response, read) => {
    await read();
    response.writeHead(status, headers).end(body);
  };
}

/** Answers with an error in the form of the API. */
export function refuse(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return json(status, { error: { code, message: `Text ${Math.random()} that must not matter` } }, headers);
}

/** Drops the connection without an answer. */
export const drop: Reply = (request) => void request.socket.destroy();
