import { expect, test } from 'vitest';
import { wireVoices } from '../../../src/media-api/wire.ts';
import { useSessions } from './use-sessions.ts';

test('voices are listed with four fields, and a preview that needs no key', async () => {
  const { api, server, voices } = await useSessions();
  const answer = await api.get('/voices');
  expect(wireVoices.parse(answer.json)).toEqual(answer.json);
  const preview_url = (id: string): string => `${server.baseUrl}/voices/${id}/preview.wav`;
  expect(answer.json).toEqual([
    {
      id: 'mirror',
      name: 'Mirror',
      description: 'The same, upside down',
      preview_url: preview_url('mirror'),
    },
    { id: 'whisper', name: 'Whisper', description: 'Half as loud', preview_url: preview_url('whisper') },
  ]);
  const heard = await Promise.all([1, 2, 3].map(() => fetch(preview_url('mirror'))));
  for (const response of heard) {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(await response.text()).toBe('RIFF of mirror');
  }
  expect(voices.previewed).toEqual(['mirror']);
});

test('a preview that failed is rendered again, and one of an unknown voice is not found', async () => {
  const { api, voices } = await useSessions();
  voices.fault = new Error('died');
  expect((await api.get('/voices/mirror/preview.wav')).status).toBe(500);
  voices.fault = undefined;
  expect((await api.get('/voices/mirror/preview.wav')).status).toBe(200);
  for (const path of ['/voices/unknown/preview.wav', '/voices/mirror', '/voices/mirror/reference.wav']) {
    expect((await api.get(path)).status).toBe(404);
  }
});

test('the list needs a key, and previews use the public address', async () => {
  const { api } = await useSessions({ publicUrl: 'https://media.test' });
  expect((await fetch(`${api.baseUrl}/voices`)).status).toBe(401);
  expect((await api.get('/voices')).text).toContain('"https://media.test/api/v1/voices/mirror/preview.wav"');
});
