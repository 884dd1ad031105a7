import sharp from 'sharp';
import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { wireLiveSession } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { connectStream } from './stream-client.ts';
import { openLive, settled, useSessions } from './use-sessions.ts';

const RED = await jpeg('#d02020');

async function jpeg(background: string): Promise<Buffer> {
  return await sharp({ create: { width: 64, height: 36, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

/** Returns the mean of each colour channel. */
async function channels(picture: Buffer | undefined): Promise<number[]> {
  const { channels: all } = await sharp(picture).toColourspace('srgb').stats();
  return all.map(({ mean }) => Math.round(mean));
}

test('an open answers six fields, including the resolved prompt', async () => {
  const { api } = await useSessions({ openingBalance: parseUsd('72') });
  const answer = await api.post('/full-live-swap/session', {
    duration_minutes: 240,
    prompt: 'A young woman',
  });
  expect(wireLiveSession.parse(answer.json)).toEqual(answer.json);
  expect(answer.json).toEqual({
    session_id: expect.stringMatching(/^ses_/),
    stream_url: expect.stringMatching(/^ws:.*\/api\/v1\/stream\/ses_/),
    session_token: expect.stringMatching(/^st_/),
    prompt: 'A young woman [worn: a young woman with curly hair]',
    max_duration_sec: 14_400,
    max_cost_usd: 72,
  });
});

test.each([
  [undefined, 'Wear the face of an elderly man with grey hair', 'elderly-man'],
  ['  ', 'Wear the face of an elderly man with grey hair', 'elderly-man'],
  ['Make me YOUNG', 'Make me YOUNG [worn: a young woman with curly hair]', 'young-woman'],
])('the prompt %j is resolved and chooses the face', async (prompt, resolved, id) => {
  const { api, faces } = await useSessions();
  expect((await openLive(api, { prompt })).prompt).toBe(resolved);
  expect(faces.opened).toEqual([{ face: { id } }]);
});

test('a prompt with a file key uses the face of that upload, of the same account only', async () => {
  const { api, faces, server, dataDir } = await useSessions();
  const key = await api.uploadPicture();
  expect((await openLive(api, { prompt: `Wear ${key}, please` })).prompt).toBe(
    `Wear ${key}, please [worn: the face in ${key}]`,
  );
  expect(faces.opened).toEqual([{ face: { path: `${dataDir}/uploads/${key.slice(4)}` } }]);
  const accountId = server.admin.createAccount('B');
  server.admin.topUp(parseUsd('1'), accountId);
  const other = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'B', accountId }).text);
  const foreign = await other.post('/full-live-swap/session', { duration_minutes: 1, prompt: key });
  const missing = await other.post('/full-live-swap/session', { duration_minutes: 1, prompt: 'api/up_none' });
  expect([foreign.status, foreign.text]).toEqual([400, missing.text]);
  const sound = (await api.upload(Buffer.from('x'), 'audio/wav', 'a.wav')).json as { file_key: string };
  expect(
    (await api.post('/full-live-swap/session', { duration_minutes: 1, prompt: sound.file_key })).json,
  ).toMatchObject({ error: { code: 'invalid_input', message: 'prompt: must be image, not audio' } });
});

test('a picture that the content check rejects is not used', async () => {
  const { api, faces } = await useSessions({ checkContent: async () => 'rejected' });
  const prompt = await api.uploadPicture();
  expect(await api.post('/full-live-swap/session', { duration_minutes: 1, prompt })).toMatchObject({
    status: 400,
    json: { error: { code: 'invalid_input' } },
  });
  expect(faces.taken).toBe(0);
});

test('each picture comes back changed', async () => {
  const { api } = await useSessions();
  const stream = await connectStream(await openLive(api));
  for (let count = 1; count <= 3; count++) {
    stream.send(RED);
    const [red = 0, green = 255] = await channels((await stream.binary(count)).at(-1));
    expect(Math.abs(red - green)).toBeLessThan(3);
  }
  expect(stream.frames).toHaveLength(3);
});

test('while a picture is processed, the newest waiting one replaces older ones', async () => {
  const { api, faces } = await useSessions();
  const stream = await connectStream(await openLive(api));
  faces.pause();
  for (const shade of ['#000000', '#404040', '#808080', '#ffffff']) stream.send(await jpeg(shade));
  stream.socket.ping();
  await new Promise((resolve) => stream.socket.once('pong', resolve));
  faces.release();
  const frames = await stream.binary(2);
  expect(await Promise.all(frames.map(async (frame) => (await channels(frame))[0]))).toEqual([0, 255]);
  stream.send(await jpeg('#808080'));
  expect(await stream.binary(3)).toHaveLength(3);
});

test('data that is not a picture ends the session as an error of the client', async () => {
  const { api, faces } = await useSessions();
  const session = await openLive(api);
  const stream = await connectStream(session);
  stream.send(Buffer.from('no picture'));
  expect(await stream.closed).toEqual([1007, 'A frame cannot be read']);
  expect(await settled(api, session)).toMatchObject({ status: 'succeeded', reason: 'no_stream' });
  expect(faces.taken).toBe(0);
});

test('when three quarters of the places are taken, the others get a quarter of an hour', async () => {
  const { api } = await useSessions({ liveSessionsMax: 4 });
  const granted: number[] = [];
  for (let count = 0; count < 4; count++) {
    const { max_duration_sec, max_cost_usd } = await openLive(api, { duration_minutes: 16 });
    expect(max_cost_usd).toBe(Number((0.3 * (max_duration_sec / 60)).toFixed(6)));
    granted.push(max_duration_sec);
  }
  expect(granted).toEqual([960, 960, 960, 900]);
});

test('a host decides what is granted, between 1 second and the request', async () => {
  const grants = [7, 0, 1e9, 61.9];
  const { api } = await useSessions({ grantLive: () => grants.shift() ?? 1 });
  const open = async (): Promise<number[]> => {
    const { max_duration_sec, max_cost_usd } = await openLive(api, { duration_minutes: 2 });
    return [max_duration_sec, max_cost_usd];
  };
  expect(await open()).toEqual([7, 0.035]);
  expect(await open()).toEqual([1, 0.005]);
  expect(await open()).toEqual([120, 0.6]);
  expect(await open()).toEqual([61, 0.305]);
});
