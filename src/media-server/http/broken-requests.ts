import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { invalidInput } from '../wire/api-error.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Sends the error envelope for requests that reach no route: bytes that are not HTTP, requests that are too slow or too
 * large to be read, and requests with an `Expect` header that cannot be met.
 */
export class BrokenRequests {
  readonly #exchanges = new WeakMap<Socket, Set<Exchange>>();

  /** Records the requests in progress on each connection. */
  watch(server: Server): void {
    server.on('request', (request, response) => this.#note({ request, response }));
    server.on('checkExpectation', (_request, response: ServerResponse) => {
      const { body, ...headers } = envelope('The expectation cannot be met');
      response.writeHead(400, headers).end(body);
    });
  }

  /**
   * Answers and closes the connection, or closes it without an answer if the client would mistake the answer for that
   * of another request.
   */
  answer(socket: Socket): void {
    const exchanges = [...(this.#exchanges.get(socket) ?? [])];
    if (!socket.writable || exchanges.some(blocksAnswer)) return void socket.destroy();
    const { body, ...headers } = envelope('The request is not well-formed');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'));
  }

  #note(exchange: Exchange): void {
    const { request, response } = exchange;
    const here = this.#exchanges.get(request.socket) ?? new Set();
    this.#exchanges.set(request.socket, here.add(exchange));
    response.once('close', () => {
      if (request.complete) here.delete(exchange);
      else request.once('close', () => here.delete(exchange));
    });
  }
}

/** Returns true if an earlier request is still waiting for its answer, or if the malformed request already has one. */
function blocksAnswer({ request, response }: Exchange): boolean {
  return request.complete ? !response.writableFinished : response.headersSent;
}

function envelope(message: string): {
  readonly body: string;
  readonly 'content-type': string;
  readonly 'content-length': number;
  readonly connection: string;
} {
  const body = JSON.stringify(invalidInput(message).envelope);
  const length = Buffer.byteLength(body);
  return { body, 'content-type': 'application/json', 'content-length': length, connection: 'close' };
}
