import type { HeldSocketsOptions } from './held-sockets.ts';

/**
 * A way to hold connections, and the time in milliseconds within which the server must close them all; null if it
 * closes them only to make room for others.
 */
export interface Attack extends Pick<HeldSocketsOptions, 'text' | 'drip' | 'reads'> {
  readonly name: string;
  /** Number of connections. Default: the number that the test asks for. */
  readonly count?: number;
  readonly endsWithinMs: number | null;
}

const HANDSHAKE = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

function get(path: string, ...headers: readonly string[]): string {
  return request(path, 'x', headers);
}

function request(path: string, host: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `host: ${host}`, ...headers, '', ''].join('\r\n');
}

function post(path: string, sizeBytes: number, body: string): string {
  const headers = ['host: x', 'content-type: application/json', `content-length: ${sizeBytes}`];
  return [`POST ${path} HTTP/1.1`, ...headers, '', body].join('\r\n');
}

const HEADER_BYTES = 64 * 1024;

/** Ways to hold connections to the bot's web server. */
export const WEB_ATTACKS: readonly Attack[] = [
  {
    name: 'offers of another protocol without "Connection: upgrade"',
    text: get('/live/socket', 'upgrade: x'),
    endsWithinMs: 5_000,
  },
  {
    name: 'offers of another protocol to a path that has none',
    text: get('/healthz', 'connection: upgrade', 'upgrade: x'),
    endsWithinMs: null,
  },
  { name: 'WebSockets without a cookie', text: get('/live/socket', ...HANDSHAKE), endsWithinMs: 5_000 },
  {
    name: 'broken WebSocket handshakes',
    text: get('/live/out/socket', 'connection: upgrade', 'upgrade: websocket'),
    endsWithinMs: 5_000,
  },
  { name: 'connections without any data', text: '', endsWithinMs: 15_000 },
  {
    name: 'headers byte by byte',
    text: 'GET /healthz HTTP/1.1\r\nx-slow: ',
    drip: { text: 'a', everyMs: 1_000 },
    endsWithinMs: 15_000,
  },
  {
    name: 'bodies of webhooks byte by byte',
    text: post('/webhooks/cb_aaaaaaaaaaaaaaaa', 100_000, '{'),
    drip: { text: 'a', everyMs: 1_000 },
    endsWithinMs: 35_000,
  },
  {
    name: 'oversized headers',
    text: `GET /healthz HTTP/1.1\r\nx-large: ${'a'.repeat(HEADER_BYTES)}`,
    endsWithinMs: 15_000,
  },
  { name: 'kept connections', text: get('/healthz'), endsWithinMs: null },
  {
    name: 'many pipelined requests whose answers are not read',
    text: get('/healthz').repeat(400),
    count: 20,
    reads: false,
    endsWithinMs: null,
  },
];

/** Connections that each send 100 requests for a page's file at once, and read none of the answers. */
export function unreadFiles(path: string, host = 'x'): Attack {
  return {
    name: 'many pipelined requests for a file whose answers are not read',
    text: request(path, host).repeat(100),
    count: 100,
    reads: false,
    endsWithinMs: null,
  };
}

/** A server that is attacked. */
export interface Target {
  /** The host name that the server answers to. */
  readonly host: string;
  /** A path that the server answers, and the path of a file that it serves. */
  readonly page: string;
  readonly file: string;
  /** A path that accepts a request body. */
  readonly body: string;
}

/** Ways to hold connections to any server. */
export function heldConnections({ host, page, file, body }: Target): readonly Attack[] {
  const ends = { endsWithinMs: null };
  return [
    { name: 'connections without any data', text: '', ...ends },
    {
      name: 'headers byte by byte',
      text: `GET ${page} HTTP/1.1\r\nhost: ${host}\r\nx-slow: `,
      drip: { text: 'a', everyMs: 1_000 },
      ...ends,
    },
    {
      name: 'oversized headers',
      text: `GET ${page} HTTP/1.1\r\nhost: ${host}\r\nx-large: ${'a'.repeat(HEADER_BYTES)}`,
      ...ends,
    },
    {
      name: 'bodies byte by byte',
      text: post(body, 10_000, '{').replace('host: x', `host: ${host}`),
      drip: { text: 'a', everyMs: 1_000 },
      ...ends,
    },
    { name: 'kept connections', text: request(page, host), ...ends },
    { name: 'readers of a file who read nothing', text: request(file, host), reads: false, ...ends },
    unreadFiles(file, host),
  ];
}

/** Clients that request a large result and read none of it. */
export function slowReaders(path: string): Attack {
  return { name: 'readers of a result who read nothing', text: get(path), reads: false, endsWithinMs: null };
}
