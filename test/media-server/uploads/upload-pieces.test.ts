import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { json } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WireUpload } from '../../../src/media-api/wire.ts';
import { useServer } from '../use-server.ts';

const BOUNDARY = 'xYzZy';

interface Form {
  readonly content: Buffer;
  /** The value of a text field that follows the file; `undefined` omits the field. */
  readonly field: string | undefined;
  readonly epilogue: string;
}

/** The start of a boundary, repeated, so that the end of each piece may look like the start of the boundary. */
const contents = fc
  .tuple(
    fc.integer({ min: 1, max: 400_000 }),
    fc.constantFrom('x', '\r', '\r\n', '\r\n--', `\r\n--${BOUNDARY.slice(0, 4)}`),
  )
  .map(([sizeBytes, pattern]) => Buffer.alloc(sizeBytes, pattern));

const forms: fc.Arbitrary<Form> = fc.record({
  content: contents,
  field: fc.constantFrom(undefined, '', 'text', '\r', 'x'.repeat(70_000)),
  epilogue: fc.constantFrom('', 'x', 'x'.repeat(100_000), `\r\n--${BOUNDARY}\r\n--${BOUNDARY}--`),
});

function bytesOf({ content, field, epilogue }: Form): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  const next =
    field === undefined
      ? ''
      : `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${field}`;
  return Buffer.concat([
    Buffer.from(head),
    content,
    Buffer.from(`${next}\r\n--${BOUNDARY}--\r\n${epilogue}`),
  ]);
}

/** Sends `body` split at the given offsets, with one event-loop turn between pieces. */
async function send(url: string, key: string, body: Buffer, cuts: readonly number[]): Promise<WireUpload> {
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
  expect(response.statusCode).toBe(200);
  return (await json(response)) as WireUpload;
}

test(
  'answers every upload, however its bytes are split, and keeps each of them',
  { timeout: 60_000 },
  async () => {
    const { server } = await useServer();
    const url = `${server.baseUrl}/uploads`;
    const places = fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 6 });
    const placesFromEnd = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 4 });

    await fc.assert(
      fc.asyncProperty(forms, places, placesFromEnd, async (sent, fromStart, fromEnd) => {
        const bytes = bytesOf(sent);
        const cuts = [...fromStart, ...fromEnd.map((place) => bytes.length - place)];
        const inside = cuts.filter((place) => place > 0 && place < bytes.length);
        const upload = await send(url, server.apiKey, bytes, inside);
        const kept = Buffer.from(await (await fetch(upload.url)).arrayBuffer());
        expect(kept.equals(sent.content)).toBe(true);
      }),
      { numRuns: 400, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true },
    );
  },
);
