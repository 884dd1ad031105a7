import assert from 'node:assert/strict';
import { request } from 'node:http';
import type {
  ConsoleAnswer,
  ConsoleState,
  ConsoleVerb,
  WireChange,
} from '../../../src/media-server/console/console-wire.ts';

export interface ConsoleReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

/** Sends a request as a page in a browser does, with headers that `fetch` does not let a test set. */
export function askRaw(
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<ConsoleReply> {
  const { method = 'GET', headers = {}, body } = init;
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        const isJson = String(response.headers['content-type']).includes('json');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: answer,
          json: isJson ? JSON.parse(answer) : undefined,
        });
      });
    });
    asked.end(text);
  });
}

/** Sends the requests that the console page sends. */
export class ConsoleClient {
  readonly url: string;
  cookie = '';

  constructor(url: string | null) {
    assert(url);
    this.url = url;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ConsoleReply> {
    return askRaw(`${this.url}api/${path}`, {
      method,
      body,
      headers: { origin: this.origin, cookie: this.cookie, ...headers },
    });
  }

  async logIn(password: string): Promise<ConsoleReply> {
    const reply = await this.ask('POST', 'session', { password });
    const [cookie = ''] = [reply.headers['set-cookie'] ?? ''].flat();
    if (reply.status === 204) this.cookie = cookie.split(';', 1)[0] ?? '';
    return reply;
  }

  /** Executes a verb that must succeed. */
  async execute(verb: ConsoleVerb): Promise<ConsoleAnswer> {
    const reply = await this.ask('POST', 'verbs', verb);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as ConsoleAnswer;
  }

  /** Executes a verb that must be refused, and returns the refusal. */
  async refused(verb: object): Promise<{ code: string; message: string; field?: string }> {
    const reply = await this.ask('POST', 'verbs', verb);
    assert.notEqual(reply.status, 200, reply.text);
    return (reply.json as { error: { code: string; message: string; field?: string } }).error;
  }

  /** Receives changes until the server ends the stream or `signal` aborts. */
  async *changes(signal: AbortSignal): AsyncGenerator<WireChange> {
    const response = await fetch(`${this.url}api/events`, { headers: { cookie: this.cookie }, signal });
    assert.equal(response.status, 200);
    assert(response.body);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as WireChange;
      }
    }
  }

  /** Returns everything that the console shows now. */
  async state(): Promise<ConsoleState> {
    for await (const change of this.changes(AbortSignal.timeout(20_000))) return change as ConsoleState;
    throw new TypeError('The console sent no state');
  }
}
