import { describe, expect, test } from 'vitest';
import { json, useClient, useStubApi } from './use-stub-api.ts';

function voice(id: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, name: `Voice ${id}`, description: 'Warm', preview_url: '', ...changes };
}

describe('the voices of the service', () => {
  test('are requested with the key, and returned in the order of the service', async () => {
    const stub = await useStubApi(json(200, [voice('b'), voice('a', { brand_new: 1 })]));

    const voices = await useClient(stub).voices.list();

    expect(voices).toEqual([
      { id: 'b', name: 'Voice b', description: 'Warm', previewUrl: null },
      { id: 'a', name: 'Voice a', description: 'Warm', previewUrl: null },
    ]);
    expect(stub.received[0]).toMatchObject({ method: 'GET', url: '/api/v1/voices' });
    expect(stub.received[0]?.headers.authorization).toBe('Bearer key-of-the-test');
  });

  test.each([0, 1, 26, 500])('may be %d', async (count) => {
    const stub = await useStubApi(
      json(
        200,
        Array.from({ length: count }, (_, index) => voice(`v${index}`)),
      ),
    );

    expect(await useClient(stub).voices.list()).toHaveLength(count);
  });

  test('are all except those that cannot be chosen', async () => {
    const strange = [null, 7, {}, voice(''), voice('x', { name: 5 }), voice('y', { description: null })];
    const stub = await useStubApi(json(200, [...strange, voice('z')]));

    const voices = await useClient(stub).voices.list();

    expect(voices.map(({ id }) => id)).toEqual(['y', 'z']);
  });

  test('are rejected as a whole if there is no list', async () => {
    const stub = await useStubApi(json(200, { voices: [] }));

    await expect(useClient(stub).voices.list()).rejects.toMatchObject({ code: 'bad_answer' });
  });
});

describe('the preview of a voice', () => {
  test('is kept if it is on the service itself', async () => {
    const stub = await useStubApi();
    const url = `${stub.baseUrl}/voices/a/preview.wav?take=2`;
    stub.script(json(200, [voice('a', { preview_url: url })]));

    expect((await useClient(stub).voices.list())[0]?.previewUrl).toBe(url);
  });

  test.each([
    'https://evil.example/preview.wav',
    'http://127.0.0.1:1/preview.wav',
    'http://127.0.0.1.evil.example/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:127.0.0.1]/',
    'http://user:pass@HOST/preview.wav',
    'https://HOST/preview.wav',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '//evil.example/x',
    '/preview.wav',
    'not a link',
  ])('is omitted if it leads elsewhere: %s', async (link) => {
    const stub = await useStubApi();
    const preview = link.replace('HOST', new URL(stub.baseUrl).host);
    stub.script(json(200, [voice('a', { preview_url: preview })]));

    expect((await useClient(stub).voices.list())[0]?.previewUrl).toBeNull();
  });
});
