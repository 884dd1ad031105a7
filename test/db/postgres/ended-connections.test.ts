import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/log.ts';
import { ConnectionPool } from '../../../db/postgres/connection-pool.ts';

/** Creates a PostgreSQL protocol message: type, length and content. */
function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const WELCOME = [message('R', Buffer.alloc(4)), message('Z', 'I')];
const GOODBYE = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

/** Creates a server that welcomes each client and ends the connection in the same packet. */
async function useEndingServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([...WELCOME, GOODBYE])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/books`;
}

test('a connection that ends while it is handed out fails its first query, and nothing else', async () => {
  const config = { connectionString: await useEndingServer(), max: 2 };
  const pool = new ConnectionPool({ config, server: '"books"', log: silentLogger });
  onTestFinished(() => pool.end());
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const connection = await pool.connect();
    await expect(connection.query('select 1', [])).rejects.toMatchObject({ code: 'unreachable' });
    connection.release();
  }
});
