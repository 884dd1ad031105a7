import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { Target } from './target.ts';

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly receivedAtMs: number;
}

/** Starts a webhook receiver at an address that the service can reach; it is closed when the test ends. */
export async function useReceiver(
  { options }: Target,
  host: string,
): Promise<{ url: string; next(): Promise<Delivery> }> {
  const deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      deliveries.push({ headers: request.headers, raw: Buffer.concat(chunks), receivedAtMs: Date.now() });
      response.writeHead(204).end();
    });
  });
  const { hostname, port: wanted } = new URL(`http://${host}`);
  server.listen(Number(wanted), hostname === '127.0.0.1' ? hostname : undefined);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${hostname}:${port}/conformance`,
    async next() {
      return await vi.waitFor(
        () => {
          const delivery = deliveries.shift();
          if (!delivery) throw new Error('No webhook has arrived');
          return delivery;
        },
        { timeout: options.jobSeconds * 1000, interval: 50 },
      );
    },
  };
}
