import { describe, expect, test } from 'vitest';
import { wireUpload } from '../../../../src/media-api/wire.ts';
import { assertRefused } from '../caller.ts';
import { SAMPLES, readSample } from '../media.ts';
import type { Target } from '../target.ts';

/** More than 45 MB by any definition of MB. */
const TOO_LARGE_BYTES = 48 * 2 ** 20;

/** Tests uploads. These tests store files and cost nothing. */
export function uploadsSuite(target: () => Target): void {
  describe('uploads', () => {
    test.each(['portrait', 'clip', 'speech'] as const)(
      'a %s gives a key and a URL that serves exactly its bytes',
      async (name) => {
        const bytes = await readSample(name);
        const answer = await target().api.upload(bytes, SAMPLES[name]);
        expect(answer.status).toBe(200);
        const { file_key: key, url } = wireUpload.parse(answer.json);
        expect(key).toMatch(/^api\//);
        const served = await target().anonymous.get(url);
        expect([served.status, served.bytes.equals(bytes)]).toEqual([200, true]);
      },
    );

    test('the type follows from the file name if the part declares none', async () => {
      expect((await target().api.upload(await readSample('face'), { name: 'face.jpg' })).status).toBe(200);
    });

    test.each([
      ['a document', { type: 'application/pdf', name: 'a.pdf' }],
      ['an unknown extension', { name: 'a.xyz' }],
    ])('%s is unsupported_format', async (_name, part) => {
      assertRefused(await target().api.upload(Buffer.from('%PDF-1.7'), part), 400, 'unsupported_format');
    });

    test('a form without the file is invalid_input', async () => {
      const part = { type: 'image/png', name: 'a.png', field: 'picture' };
      assertRefused(await target().api.upload(Buffer.from('x'), part), 400, 'invalid_input');
    });

    test('a picture over 45 MB is input_too_large', async () => {
      const part = { type: 'image/png', name: 'a.png' };
      assertRefused(await target().api.upload(Buffer.alloc(TOO_LARGE_BYTES), part), 400, 'input_too_large');
    });
  });
}
