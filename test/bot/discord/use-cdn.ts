import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { AttachmentFetcher } from '../../../src/bot/discord/wire/attachment-fetcher.ts';
import type { InputFetcher } from '../../../src/bot/jobs/inputs/input-fetcher.ts';

export interface Cdn {
  /** A signed link to a file. */
  readonly url: string;
  requests(): number;
  onRequest(listener: () => void): void;
  /** Fetches the file with a fetcher that may fetch from this host. */
  fetch(toPath: string, sizeBytesMax?: number, signal?: AbortSignal): ReturnType<InputFetcher['fetch']>;
}

/** Starts a file host on loopback. `answer` handles each request; `count` is the request's number. */
export async function useCdn(
  answer: (count: number, response: ServerResponse) => unknown,
  options: Partial<ConstructorParameters<typeof AttachmentFetcher>[0]> = {},
): Promise<Cdn> {
  let count = 0;
  const listeners: (() => void)[] = [];
  const server = createServer((_request, response) => {
    count += 1;
    answer(count, response);
    for (const listener of listeners) listener();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/ephemeral-attachments/1/2/face.png?ex=1&is=1&hm=secret`;
  const fetcher = useFetcher(new AttachmentFetcher({ clock: systemClock, hosts: [host], ...options }));
  return {
    url,
    requests: () => count,
    onRequest: (listener) => void listeners.push(listener),
    fetch: (toPath, sizeBytesMax = 1_000, signal = new AbortController().signal) =>
      fetcher.fetch({ url, toPath, sizeBytesMax }, signal),
  };
}

export function useFetcher(fetcher: AttachmentFetcher): AttachmentFetcher {
  onTestFinished(() => fetcher[Symbol.asyncDispose]());
  return fetcher;
}
