import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Takes over the connections of its own paths; all others are left alone. */
export interface UpgradeTaker {
  /** Returns whether a path, without its query, belongs to the taker. */
  isOurs(path: string): boolean;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** The connections that were taken over. Disposal restores the server. */
interface TakenUpgrades extends Disposable {
  /** Returns whether the connection of this request was taken over, so that no other handler may answer it. */
  has(request: IncomingMessage): boolean;
}

/** The time limit for answering an upgrade that no handler took. */
const ANSWER_MS_MAX = 30_000;

/** Node.js 24.9 and later call this before they turn an upgrade request into a connection. */
interface AskingServer {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
}

/**
 * Takes over the taker's WebSockets from a server that may belong to a host. Every other upgrade is handled as if this
 * function had not been called: by the host's own listeners or, if there are none, as a plain request.
 */
export function takeUpgrades(server: Server, taker: UpgradeTaker): TakenUpgrades {
  const taken = new WeakSet<IncomingMessage>();
  const isOurs = (request: IncomingMessage): boolean => taker.isOurs(pathOf(request));
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (isOurs(request)) {
      taken.add(request);
      return taker.take(request, socket, head);
    }
    if (server.listenerCount('upgrade') === 1) answerAsRequest(server, request, socket);
  };
  const asking: Server & AskingServer = server;
  const before = asking.shouldUpgradeCallback;
  const ask = (request: IncomingMessage): boolean =>
    isOurs(request) || (server.listenerCount('upgrade') > 1 && (before?.call(server, request) ?? true));
  if (before) asking.shouldUpgradeCallback = ask;
  server.on('upgrade', onUpgrade);
  return {
    has: (request) => taken.has(request),
    [Symbol.dispose]: () => {
      server.off('upgrade', onUpgrade);
      if (before && asking.shouldUpgradeCallback === ask) asking.shouldUpgradeCallback = before;
    },
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/**
 * Answers an upgrade that no handler takes as if it were a plain request. Needed in Node.js versions without
 * `shouldUpgradeCallback`.
 * Node.js no longer handles the errors and the end of the connection, so this function does.
 */
function answerAsRequest(server: Server, request: IncomingMessage, socket: Duplex): void {
  if (!(socket instanceof Socket)) return void socket.destroy();
  socket.on('error', () => socket.destroy());
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  server.emit('request', request, response);
}
