import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useServer } from '../use-server.ts';

const BOUNDARY = 'xYzZy';

function form(sizeBytes: number, epilogue: string): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(sizeBytes, 7),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n${epilogue}`),
  ]);
}

/** Sends `body` cut at the given places, the event loop turning between two pieces. */
async function send(url: string, key: string, body: Buffer, cuts: readonly number[]): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': body.length,
  };
  const outgoing = request(url, { method: 'POST', headers });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  let from = 0;
  for (const to of [...new Set([...cuts, body.length])].toSorted((a, b) => a - b)) {
    outgoing.write(body.subarray(from, to));
    from = to;
    await setImmediate();
  }
  outgoing.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

it('answers every upload, however its bytes arrive', { timeout: 60_000 }, async () => {
  const { server } = await useServer();
  const url = `${server.baseUrl}/uploads`;
  const body = fc.tuple(fc.integer({ min: 1, max: 400_000 }), fc.constantFrom('', 'x', 'x'.repeat(100_000)));
  const cuts = fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 6 });

  await fc.assert(
    fc.asyncProperty(
      body,
      cuts,
      fc.integer({ min: 0, max: 80 }),
      async ([size, epilogue], places, fromEnd) => {
        const bytes = form(size, epilogue);
        const inside = [...places, bytes.length - fromEnd].filter(
          (place) => place > 0 && place < bytes.length,
        );
        expect(await send(url, server.apiKey, bytes, inside)).toBe(200);
      },
    ),
    { numRuns: 400, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true },
  );
});
