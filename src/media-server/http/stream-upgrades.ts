import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Admission, Sessions } from '../sessions/sessions.ts';
import { ApiError, invalidInput } from '../wire/api-error.ts';

const STREAM_PATH = /^\/api\/v1\/stream\/([a-z0-9_]{1,100})$/;
/** The name of the route in metrics. */
const ROUTE = '/api/v1/stream/:id';
const INTERNAL_ERROR = 1011;

interface StreamServices {
  readonly sessions: Sessions;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Returns whether a request with an `upgrade` header becomes a stream. Other upgrades, such as to HTTP/2, which some
 * clients try first, are ignored, and the request is answered as if it had no such header.
 */
export function isStreamUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Accepts session WebSockets at `/api/v1/stream/<session id>?session_token=...`. Errors are answered before the
 * upgrade, with the error envelope. The token is used up only if the connection is accepted.
 */
export function acceptStreams(server: Server, services: StreamServices): void {
  const { sessions, metrics, logger } = services;
  const count = (status: number, code: string): void =>
    metrics.requests.add({ route: ROUTE, status: String(status), code });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) =>
      logger.debug({ error }, 'A connection failed while it was upgraded to a stream'),
    );
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
    // `Connection` answers pings itself, within its limits.
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
  logger.error({ error }, 'Cannot accept a stream');
  return new ApiError('internal_error', 'Something failed on our side; nothing was billed', { cause: error });
}

/**
 * Answers and closes a socket. After an upgrade the HTTP server no longer owns the socket, so this code must
 * close it.
 */
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
