import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

/** The number of consecutive rounds in which the event loop must have no work. */
const ROUNDS = 2;
/** In each round, the process sends itself a datagram, which is one event of the loop. */
const OWN_EVENTS = 1;
/** Matches the kinds of Node.js requests that are handled by other threads or the kernel. */
const REQUEST = /Req|ConnectWrap$/;

/**
 * Detects when this process has nothing left to do: everything sent over loopback has arrived and been
 * processed, and no file is being read. A datagram that the process sends to itself arrives after everything
 * that was sent before it, so a busy machine only delays the answer.
 */
export class QuietProcess implements Disposable {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async watch(): Promise<QuietProcess> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { address, port } = socket.address();
    socket.connect(port, address);
    await once(socket, 'connect');
    socket.unref();
    return new QuietProcess(socket);
  }

  /** Resolves when no work is pending. */
  async settled(): Promise<void> {
    for (let quietRounds = 0; quietRounds < ROUNDS;) {
      const before = countEvents();
      await this.#echo();
      await turn();
      const isQuiet = countEvents() - before <= OWN_EVENTS && !hasRequests();
      quietRounds = isQuiet ? quietRounds + 1 : 0;
    }
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #echo(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('message', () => resolve());
      this.#socket.send('');
    });
  }
}

/**
 * Returns the number of events that the loop has processed: data from sockets, and answers from other threads.
 */
function countEvents(): number {
  return performance.nodeTiming.uvMetricsInfo.events;
}

function hasRequests(): boolean {
  return process.getActiveResourcesInfo().some((name) => REQUEST.test(name));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
