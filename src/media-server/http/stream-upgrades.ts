import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Admission, Sessions } from '../sessions/sessions.ts';
import { ApiError, invalidInput } from '../wire/api-error.ts';

const STREAM_PATH = /^\/api\/v1\/stream\/([a-z0-9_]{1,100})$/;
/** As metrics call it. */
const ROUTE = '/api/v1/stream/:id';
const INTERNAL_ERROR = 1011;

interface StreamServices {
  readonly sessions: Sessions;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Whether a request that offers another protocol is to become a stream. Any other offer, such as the HTTP/2 that some
 * clients try first, is passed over, and the request answered as if it were not there.
 */
export function asksForStream({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Takes the WebSockets of sessions, at `/api/v1/stream/<session id>?session_token=...`. Whatever is wrong is answered
 * before the upgrade, in the error envelope; the token is used up only when all is well.
 */
export function takeStreams(server: Server, services: StreamServices): void {
  const { sessions, metrics, logger } = services;
  const count = (status: number, code: string): void =>
    metrics.requests.add({ route: ROUTE, status: String(status), code });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => logger.debug({ error }, 'A connection broke off as it became a stream'));
    const refuseCounted = (error: unknown): void => {
      const refusal = toApiError(error, logger);
      count(refusal.status, refusal.code);
      refuse(socket, refusal);
    };
    try {
      const admission = admit(request, sessions);
      const handshake = expectHandshake(admission.limits, refuseCounted);
      handshake.handleUpgrade(request, socket, head, (stream) => {
        count(101, 'ok');
        connect(admission, stream, logger);
      });
    } catch (error) {
      refuseCounted(error);
    }
  });
}

function admit(request: IncomingMessage, sessions: Sessions): Admission {
  const url = URL.parse(request.url ?? '', 'http://localhost');
  const sessionId = STREAM_PATH.exec(url?.pathname ?? '')?.[1];
  if (sessionId === undefined) throw new ApiError('not_found', 'No such resource');
  return sessions.admit(sessionId, url?.searchParams.get('session_token') ?? '');
}

function expectHandshake(
  { frameBytesMax }: Admission['limits'],
  onMalformed: (error: ApiError) => void,
): WebSocketServer {
  const handshake = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // A connection answers pings itself, within what it allows.
    autoPong: false,
    maxPayload: frameBytesMax,
  });
  return handshake.on('wsClientError', () =>
    onMalformed(invalidInput('The WebSocket handshake is malformed')),
  );
}

function connect(admission: Admission, stream: WebSocket, logger: Logger): void {
  try {
    admission.connect(stream);
  } catch (error) {
    logger.error({ error }, 'Cannot connect a session');
    stream.on('error', () => stream.terminate());
    stream.close(INTERNAL_ERROR, 'The session cannot be connected');
  }
}

function toApiError(error: unknown, logger: Logger): ApiError {
  if (error instanceof ApiError) return error;
  logger.error({ error }, 'A stream was not taken');
  return new ApiError('internal_error', 'Something failed on our side; nothing was billed', { cause: error });
}

/** The socket is not the HTTP server's any more: nobody else would see to it that it closes. */
function refuse(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(error.envelope);
  const lines = [
    `HTTP/1.1 ${error.status} Refused`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end([...lines, '', body].join('\r\n'));
}
