import type { ServerResponse } from 'node:http';
import type { BoardListener } from './board-watch.ts';
import type { WireChange } from './console-wire.ts';

/**
 * The number of bytes that may wait for a slow page. Beyond that, its connection is closed; the page reconnects and
 * receives everything again.
 */
const WAITING_BYTES_MAX = 4_194_304;

/** How long a page waits before it reconnects. */
const RETRY_MS = 1_000;

/** Sends server-sent events to one page. */
export class EventStream implements BoardListener {
  readonly #response: ServerResponse;
  readonly #mayListen: () => boolean;

  constructor(response: ServerResponse, mayListen: () => boolean) {
    this.#response = response;
    this.#mayListen = mayListen;
  }

  mayReceive(): boolean {
    return this.#mayListen();
  }

  send(change: WireChange): void {
    if (!this.#response.headersSent) this.#begin();
    this.#write(`data: ${JSON.stringify(change)}\n\n`);
  }

  beat(): void {
    this.#write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }

  #begin(): void {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    });
    this.#write(`retry: ${RETRY_MS}\n\n`);
  }

  #write(text: string): void {
    if (this.#response.writableLength > WAITING_BYTES_MAX) this.#response.destroy();
    else this.#response.write(text);
  }
}
