import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { useServer } from '../use-server.ts';

const PART =
  '--B\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n';
const WORDS = [
  PART,
  '--B\r\n',
  '--B--',
  '--B',
  '\r\n',
  '\r\n\r\n',
  '\r',
  '-',
  'Content-Disposition: form-data; name="file"',
  'Content-Disposition: form-data; name="a"\r\n\r\n',
  'Content-Type: image/png',
  ': ',
  ' folded\r\n',
  'x'.repeat(9_000),
  'x'.repeat(70_000),
];

/** Multipart tokens in any order, and complete forms with some tokens inserted or added. */
const bodies = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join('')),
  fc
    .tuple(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
      fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
    )
    .map(([inside, behind]) => `${PART}${inside.join('')}\r\n--B--${behind.join('')}`),
);

async function send(url: string, key: string, body: Buffer, cuts: readonly number[]): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=B',
    'content-length': body.length,
  };
  const outgoing = request(url, { method: 'POST', headers });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  let from = 0;
  for (const to of [...new Set([...cuts.map((cut) => cut % (body.length + 1)), body.length])].toSorted(
    (a, b) => a - b,
  )) {
    outgoing.write(body.subarray(from, to));
    from = to;
    await setImmediate();
  }
  outgoing.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

test('any body is answered, and a refused upload leaves no file behind', { timeout: 60_000 }, async () => {
  const { server, dataDir } = await useServer();
  const cuts = fc.array(fc.nat(200_000), { maxLength: 8 });
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(bodies, cuts, async (body, places) => {
      const status = await send(`${server.baseUrl}/uploads`, server.apiKey, Buffer.from(body), places);
      expect([200, 400]).toContain(status);
      if (status === 200) kept += 1;
    }),
    { numRuns: 1_000, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true },
  );
  expect(kept).toBeGreaterThan(50);
  expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(kept);
  await vi.waitFor(async () => expect(await readdir(join(dataDir, 'parts'))).toEqual([]));
});
