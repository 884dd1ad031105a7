import assert from 'node:assert/strict';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { PageMessage } from '../../../src/sandbox/page/message-views.ts';
import type { PageState } from '../../../src/sandbox/page/page-views.ts';
import type { PageUse } from '../../../src/sandbox/page/use-views.ts';
import type { PageFault } from '../../../src/sandbox/page/wire-views.ts';
import type { PageEvent, PageRequest } from '../../../src/sandbox/page/page-wire.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/**
 * The chat page without rendering: the state that a browser has loaded, and the requests that it may send.
 */
export class Page {
  readonly origin: string;
  readonly cookie: string;
  readonly #controlUrl: string;

  constructor(sandbox: Sandbox, cookie: string) {
    this.origin = new URL(sandbox.chatUrl).origin;
    this.cookie = cookie;
    this.#controlUrl = `${this.origin}/control`;
  }

  get headers(): Record<string, string> {
    return { origin: this.origin, cookie: this.cookie, 'sec-fetch-site': 'same-origin' };
  }

  async get<T>(path: string): Promise<Answer<T>> {
    return this.#ask(path, { headers: this.headers });
  }

  async post<T>(path: string, body: unknown): Promise<Answer<T>> {
    const headers = { ...this.headers, 'content-type': 'application/json' };
    return this.#ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async upload<T>(name: string, bytes: Uint8Array): Promise<Answer<T>> {
    const headers = { ...this.headers, 'content-type': 'application/octet-stream' };
    const body = Buffer.from(bytes);
    return this.#ask(`/uploads?name=${encodeURIComponent(name)}`, { method: 'POST', headers, body });
  }

  /** Opens the page's socket and starts to act as a member. */
  async actsAs(userId: string): Promise<LivePage> {
    const socket = new WebSocket(`${this.#controlUrl.replace('http', 'ws')}/live`, { headers: this.headers });
    const live = new LivePage(socket);
    onTestFinished(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    live.send({ t: 'act', as: userId });
    await vi.waitFor(() => assert(live.state), { timeout: 10_000 });
    return live;
  }

  async #ask<T>(path: string, init: RequestInit): Promise<Answer<T>> {
    const answer = await fetch(`${this.#controlUrl}${path}`, init);
    return { status: answer.status, body: (await answer.json()) as T };
  }
}

/** The events that a page receives through its socket, and the latest state. */
export class LivePage {
  readonly socket: WebSocket;
  readonly events: PageEvent[] = [];
  readonly packets: Buffer[] = [];
  readonly messages: Map<string, PageMessage> = new Map();
  readonly uses: Map<string, PageUse> = new Map();
  state: PageState | undefined;
  faults: readonly PageFault[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.packets.push(data);
      else this.#take(JSON.parse(data.toString()) as PageEvent);
    });
  }

  send(request: PageRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  of<T extends PageEvent['t']>(t: T): Extract<PageEvent, { t: T }>[] {
    return this.events.filter((event): event is Extract<PageEvent, { t: T }> => event.t === t);
  }

  #take(event: PageEvent): void {
    this.events.push(event);
    if (event.t === 'state') {
      this.state = event.state;
      for (const use of event.uses) this.uses.set(use.id, use);
    }
    if (event.t === 'state' || event.t === 'faults') this.faults = event.faults;
    if (event.t === 'message') this.messages.set(event.message.id, event.message);
    if (event.t === 'use') this.uses.set(event.use.id, event.use);
  }
}

/** Loads the chat page as a browser does. */
export async function usePage(sandbox: Sandbox): Promise<Page> {
  const answer = await fetch(sandbox.chatUrl, { headers: { 'sec-fetch-site': 'none' } });
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  assert.match(cookie, /^sandbox_page_\d+=/);
  return new Page(sandbox, cookie);
}
