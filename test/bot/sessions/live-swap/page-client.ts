import assert from 'node:assert/strict';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { State, ToOutput, ToPage } from '../../../../src/bot/web/live/live-wire.ts';

const PATIENCE = { timeout: 10_000, interval: 10 };

/** Does what a browser does when a member opens a link, as far as Masquerade can see. */
export class PageClient {
  readonly heard: ToPage[] = [];
  readonly frames: Buffer[] = [];
  closeCode: number | null = null;
  /** Whether the client acknowledges pictures, as pages do. */
  answers = true;
  readonly socket: WebSocket;
  #camera: NodeJS.Timeout | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return void this.heard.push(JSON.parse(data.toString()) as ToPage);
      this.frames.push(data);
      if (this.answers) this.says({ type: 'taken' });
    });
    socket.on('error', () => undefined);
    socket.on('close', (code) => (this.closeCode = code));
  }

  /** Opens a link and connects the page's socket. */
  static async enter(link: string): Promise<PageClient> {
    const answer = await enter(link);
    assert.equal(answer.status, 200);
    return PageClient.connect(link, cookieOf(answer));
  }

  static async connect(link: string, cookie: string): Promise<PageClient> {
    const { origin } = new URL(link);
    const socket = new WebSocket(socketUrl(link, 'socket'), { origin, headers: { cookie } });
    onTestFinished(() => socket.terminate());
    const page = new PageClient(socket);
    await vi.waitFor(() => assert(page.heard.some(({ type }) => type === 'state')), PATIENCE);
    return page;
  }

  says(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  shows(picture: Uint8Array): void {
    this.socket.send(picture);
  }

  get state(): State {
    const state = this.heard.findLast((message) => message.type === 'state');
    assert(state);
    return state;
  }

  get problem(): string | undefined {
    return this.heard.findLast((message) => message.type === 'problem')?.text;
  }

  async hears<Type extends ToPage['type']>(type: Type): Promise<Extract<ToPage, { type: Type }>> {
    return vi.waitFor(() => {
      const found = this.heard.find((message) => message.type === type);
      assert(found, `No "${type}" was received`);
      return found as Extract<ToPage, { type: Type }>;
    }, PATIENCE);
  }

  async is<Phase extends State['phase']>(phase: Phase): Promise<Extract<State, { phase: Phase }>> {
    return vi.waitFor(() => {
      const { state } = this;
      assert.equal(state.phase, phase);
      return state as Extract<State, { phase: Phase }>;
    }, PATIENCE);
  }

  /** Gives the member's consent, starts, and waits until the session is open. */
  async goesLive(): Promise<Extract<State, { phase: 'live' }>> {
    const { consent } = await this.hears('hello');
    this.says({ type: 'agree', version: consent.version });
    this.says({ type: 'start' });
    return this.is('live');
  }

  /** Sends a picture repeatedly until one comes back. */
  async seesOne(picture: Uint8Array): Promise<Buffer> {
    const before = this.frames.length;
    return vi.waitFor(
      () => {
        this.shows(picture);
        const frame = this.frames[before];
        assert(frame);
        return frame;
      },
      { timeout: 10_000, interval: 30 },
    );
  }

  /** Keeps sending a picture, as a camera does, until the test or the socket ends. */
  keepsShowing(picture: Uint8Array, everyMs = 30): void {
    const timer = setInterval(() => {
      if (this.socket.readyState === WebSocket.OPEN) this.shows(picture);
      else clearInterval(timer);
    }, everyMs);
    this.#camera = timer;
    onTestFinished(() => clearInterval(timer));
  }

  stopsShowing(): void {
    clearInterval(this.#camera);
  }

  async closed(): Promise<number> {
    return vi.waitFor(() => {
      assert(this.closeCode !== null);
      return this.closeCode;
    }, PATIENCE);
  }
}

/** A client that views a session's output page. */
export class OutputClient {
  readonly heard: ToOutput[] = [];
  readonly frames: Buffer[] = [];
  closeCode: number | null = null;
  answers = true;
  readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return void this.heard.push(JSON.parse(data.toString()) as ToOutput);
      this.frames.push(data);
      if (this.answers) socket.send(JSON.stringify({ type: 'taken' }));
    });
    socket.on('error', () => undefined);
    socket.on('close', (code) => (this.closeCode = code));
  }

  static async connect(url: string): Promise<OutputClient> {
    const { origin, hash } = new URL(url);
    const protocols = ['masquerade-live-output', hash.slice(1)];
    const output = new OutputClient(new WebSocket(socketUrl(url, 'socket'), protocols, { origin }));
    onTestFinished(() => output.socket.terminate());
    await vi.waitFor(() => assert(output.heard.length > 0 || output.closeCode !== null), PATIENCE);
    return output;
  }
}

export async function enter(link: string, origin: string = new URL(link).origin): Promise<Response> {
  return fetch(new URL('enter', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ key: new URL(link).hash.slice(1) }),
  });
}

export function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

/** Returns the URL of a socket that belongs to a page. */
export function socketUrl(page: string, name: string): URL {
  const url = new URL(name, page);
  url.hash = '';
  url.protocol = url.protocol.replace('http', 'ws');
  return url;
}
