import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WireDelivery } from '../../src/media-api/wire.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: WireDelivery;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
}

/** Starts a webhook receiver on loopback. `answer` writes its responses, by default 204. */
export async function useReceiver(
  answer: (response: ServerResponse, received: Received) => void = (response) =>
    response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const body = JSON.parse(raw.toString('utf8')) as WireDelivery;
      const delivery = { path: request.url ?? '', headers: request.headers, raw, body };
      received.push(delivery);
      answer(response, delivery);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, received };
}
