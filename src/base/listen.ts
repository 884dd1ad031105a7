import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ServiceError, systemErrorCode } from './errors.ts';

export interface ListenAddress {
  readonly host: string;
  /** Port 0 means any free port. */
  readonly port: number;
}

/**
 * The maximum number of connections that may wait for this process to accept them. Beyond that, the system drops the
 * first data on each further connection, and the caller may take up to 25 s to send it again. The system itself may
 * allow fewer connections.
 */
const WAITING_MAX = 2_048;

/** A server cannot listen on its address. */
class ListenError extends ServiceError<'port_in_use' | 'not_listening'> {}

/** The address at which this machine can reach a listening server. A wildcard address is replaced with loopback. */
export interface ListeningAt {
  /** A URL such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly port: number;
}

/**
 * Binds the server. `localhost` stands for all addresses of that name. Throws `ListenError` with a one-line message.
 */
export async function listen(server: FastifyInstance, { host, port }: ListenAddress): Promise<ListeningAt> {
  const [first = host, ...more] = host === 'localhost' ? await localAddresses() : [host];
  try {
    await server.listen({ host: first, port, backlog: WAITING_MAX });
    for (const other of more) await listenAlso(server, other);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const where = `Cannot listen on ${host}:${port}`;
    if (code === 'EADDRINUSE') throw new ListenError('port_in_use', `${where}: the port is in use`);
    throw new ListenError('not_listening', `${where}: ${code}`, { cause: error });
  }
  const bound = server.server.address() as AddressInfo;
  const isWildcard = bound.address === '0.0.0.0' || bound.address === '::';
  const reached = isWildcard ? '127.0.0.1' : bound.address;
  return {
    origin: `http://${reached.includes(':') ? `[${reached}]` : reached}:${bound.port}`,
    port: bound.port,
  };
}

async function localAddresses(): Promise<string[]> {
  return (await lookup('localhost', { all: true })).map(({ address }) => address);
}

/** Makes the HTTP server accept connections on a further address, with the same limits, if this machine has it. */
async function listenAlso({ server }: FastifyInstance, host: string): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  server.once('close', () => second.close());
  second.listen({ host, port, backlog: WAITING_MAX });
  try {
    await once(second, 'listening');
  } catch (error) {
    if (systemErrorCode(error) !== 'EADDRNOTAVAIL') throw error;
  }
}
