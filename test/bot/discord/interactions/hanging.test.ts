import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { useCommunityWithoutBot } from '../../../helpers/use-community.ts';

/** Accepts every request and never responds. Returns the service's address and a count of the requests so far. */
async function useHangingService(): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const server = createServer(() => void (requests += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/v1`, requests: () => requests };
}

test('acknowledges commands within a second while the media service hangs', { timeout: 60_000 }, async () => {
  const service = await useHangingService();
  const place = await useCommunityWithoutBot({
    bot: (usual) => ({ ...usual, mediaApi: { ...usual.mediaApi, baseUrl: service.url } }),
  });
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  const image = { name: 'image.png', bytes: await picture(90) };
  const options = { image, face: image };

  for (let n = 0; n < 10; n++) {
    const use = await place.ada.runs('/photo-swap', { in: place.general, options });
    await use.acknowledged({ withinMs: 1_000 });
  }

  expect(service.requests()).toBeGreaterThan(0);
});
