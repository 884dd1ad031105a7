import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fault that a request meets, either before the target has received the request or after the target has answered. */
export type Fault =
  /** There is no answer, and the connection stays open. */
  | { readonly kind: 'hang'; readonly moment: 'before' | 'after' }
  /** The connection is reset. */
  | { readonly kind: 'cut'; readonly moment: 'before' | 'after' }
  /** An answer that replaces the target's. */
  | {
      readonly kind: 'answer';
      readonly moment: 'before' | 'after';
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** The target's answer with another body. */
  | { readonly kind: 'change'; readonly change: (body: string) => string }
  /** The answer is late. */
  | { readonly kind: 'slow'; readonly delayMs: number };

/** A request as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly fault: Fault['kind'] | null;
}

export interface FaultOrder {
  readonly matches: (request: Pick<Arrival, 'method' | 'path'>) => boolean;
  /** The number of requests that the fault affects. */
  readonly times: number;
  readonly fault: Fault;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A real HTTP proxy on loopback that applies the faults that a test orders. */
export class FaultProxy implements AsyncDisposable {
  readonly origin: string;
  readonly arrivals: Arrival[] = [];
  /** The origin to which requests are forwarded, once it is known. Without it, connections are cut. */
  target: string | undefined;
  readonly #server: Server;
  readonly #orders: { readonly order: FaultOrder; left: number }[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      // The client may have disconnected by now, as many of these faults make it do.
      this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async open(): Promise<FaultProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server);
  }

  order(order: FaultOrder): void {
    this.#orders.push({ order, left: order.times });
  }

  /** Sends an earlier request to the target once more. Returns the status of the answer. */
  async repeat(arrival: Arrival): Promise<number> {
    return (await this.#forward(arrival)).status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const fault = this.#take({ method, path });
    const body = Buffer.concat(await Array.fromAsync<Buffer>(incoming));
    const arrival: Arrival = { method, path, headers, body, fault: fault?.kind ?? null };
    this.arrivals.push(arrival);
    const isLost = fault !== undefined && 'moment' in fault && fault.moment === 'before';
    const answer = isLost ? undefined : await this.#forward(arrival);
    switch (fault?.kind) {
      case 'hang':
        return;
      case 'cut':
        return void incoming.socket.resetAndDestroy();
      case 'answer':
        return void outgoing.writeHead(fault.status, fault.headers).end(fault.body);
      case 'change':
        return sendChanged(outgoing, answer, fault.change);
      case 'slow':
        await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
        break;
      case undefined:
    }
    if (answer) outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  }

  #take(asked: Pick<Arrival, 'method' | 'path'>): Fault | undefined {
    const armed = this.#orders.find(({ order, left }) => left > 0 && order.matches(asked));
    if (!armed) return undefined;
    armed.left -= 1;
    return armed.order.fault;
  }

  async #forward({ method, path, headers, body }: Arrival): Promise<Answer> {
    if (this.target === undefined) throw new Error('There is no other side');
    const outgoing = request(new URL(path, this.target), { method, headers, agent: false });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const answered = Buffer.concat(await Array.fromAsync<Buffer>(response));
    const { 'transfer-encoding': _chunked, ...kept } = response.headers;
    return { status: response.statusCode ?? 502, headers: kept, body: answered };
  }
}

function sendChanged(
  outgoing: ServerResponse,
  answer: Answer | undefined,
  change: (body: string) => string,
): void {
  const { 'content-length': _length, ...headers } = answer?.headers ?? {};
  outgoing.writeHead(answer?.status ?? 502, headers).end(change(answer?.body.toString() ?? ''));
}
