import { expect, test, vi } from 'vitest';
import {
  CAPABILITIES,
  type Capability,
  SUBMIT_SEGMENT,
  type WireUpload,
} from '../../../src/media-api/wire.ts';
import type { Engines } from '../../../src/media-server/engine/engines.ts';
import type { RenderedVideo } from '../../../src/media-server/engine/rendered.ts';
import { ScalingVoices } from '../sessions/stream-engines.ts';
import { TestEngine } from '../test-engine.ts';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { type UsedServer, useServer } from '../use-server.ts';

/** For each capability, its documented fields that take a file key, and the kind of file that each field takes. */
const INPUTS: Readonly<Record<Capability, Readonly<Record<string, 'image' | 'video' | 'audio'>>>> = {
  identity_swap: { video_key: 'video', character_key: 'image' },
  video_swap: { video_key: 'video', face_key: 'image' },
  photo_swap: { image_key: 'image', face_key: 'image' },
  motion_transfer: { image_key: 'image', motion_video_key: 'video' },
  avatar: { image_key: 'image' },
  lip_sync: { video_key: 'video', audio_key: 'audio' },
};

interface UsedCapabilities extends UsedServer {
  /** The requests that the engines received, without their paths. */
  readonly asked: object[];
  readonly keys: Readonly<Record<'image' | 'video' | 'audio', string>>;
  readonly submit: (
    feature: Capability,
    changes?: object,
  ) => Promise<{ status: number; code: string | undefined; text: string }>;
}

/** Creates a server with an engine for every capability; most record their requests and never finish. */
async function useCapabilities(): Promise<UsedCapabilities> {
  const asked: object[] = [];
  const note = (request: object): Promise<RenderedVideo> => {
    asked.push(Object.fromEntries(Object.entries(request).filter(([name]) => !name.endsWith('Path'))));
    return new Promise(() => undefined);
  };
  const engines: Engines = {
    rendersAtOnce: 100,
    photoSwap: new TestEngine(),
    videoSwap: { swapVideo: note },
    identitySwap: { swapIdentity: note },
    motionTransfer: { transferMotion: note },
    avatar: { languages: ['en', 'de'], speak: note },
    lipSync: { syncLips: note },
    voiceSwap: new ScalingVoices(),
  };
  const used = await useServer({ engines });
  const upload = async (kind: string): Promise<string> =>
    ((await used.api.upload(Buffer.from(kind), `${kind}/mp4`)).json as WireUpload).file_key;
  const keys = { image: await upload('image'), video: await upload('video'), audio: await upload('audio') };
  return {
    ...used,
    asked,
    keys,
    async submit(feature, changes = {}) {
      const files = Object.entries(INPUTS[feature]).map(([field, kind]) => [field, keys[kind]]);
      const script = feature === 'avatar' ? { script: 'Hello' } : {};
      const body = { ...Object.fromEntries(files), ...script, ...changes };
      const { status, json, text } = await used.api.post(`/${SUBMIT_SEGMENT[feature]}`, body);
      return { status, code: (json as { error?: { code: string } }).error?.code, text };
    },
  };
}

test.each(CAPABILITIES)(
  '%s requires each of its files, uploaded, of the right kind, and no URL',
  async (feature) => {
    const { submit, keys, dataDir } = await useCapabilities();
    const receiver = await useReceiver();
    const other = { image: keys.video, video: keys.audio, audio: keys.image };
    for (const [field, kind] of Object.entries(INPUTS[feature])) {
      for (const wrong of [undefined, null, 5, '', 'up_x', receiver.url, 'api/up_unknown', other[kind]]) {
        const { status, code, text } = await submit(feature, { [field]: wrong });
        expect([field, wrong, status, code]).toEqual([field, wrong, 400, 'invalid_input']);
        expect(text).toContain(field);
      }
    }
    expect(useDatabase(dataDir).count('jobs')).toBe(0);
    expect(receiver.received).toEqual([]);
    expect((await submit(feature)).status).toBe(200);
  },
);

test.each(['video_swap', 'avatar', 'lip_sync'] as const)(
  '%s accepts output_resolution_p as 480, 720 or 1080 and nothing else',
  async (feature) => {
    const { submit, asked } = await useCapabilities();
    for (const wrong of [0, 360, 481, 720.5, '720', null, true, [720]]) {
      expect([wrong, await submit(feature, { output_resolution_p: wrong })]).toMatchObject([
        wrong,
        { status: 400, code: 'invalid_input' },
      ]);
    }
    for (const right of [480, 720, 1080, undefined]) {
      expect((await submit(feature, { output_resolution_p: right })).status).toBe(200);
    }
    await vi.waitFor(() => expect(asked).toHaveLength(4));
    const heights = asked.map((request) => (request as { resolutionP?: number }).resolutionP);
    expect(heights).toEqual([480, 720, 1080, undefined]);
  },
);

test('identity_swap renders 1k by default and 2k on request, and nothing else', async () => {
  const { submit, asked } = await useCapabilities();
  for (const wrong of ['4k', '1K', 1, null]) {
    expect(await submit('identity_swap', { resolution: wrong })).toMatchObject({ code: 'invalid_input' });
  }
  for (const right of [undefined, '1k', '2k']) {
    expect((await submit('identity_swap', { resolution: right })).status).toBe(200);
  }
  await vi.waitFor(() =>
    expect(asked).toEqual([{ resolution: '1k' }, { resolution: '1k' }, { resolution: '2k' }]),
  );
});

test.each([
  ['no script', { script: undefined }, 400],
  ['an empty script', { script: '' }, 400],
  ['a script of spaces', { script: '  \n' }, 400],
  ['a script that is not text', { script: 5 }, 400],
  ['one character', { script: 'a' }, 200],
  ['5,000 characters', { script: 'a'.repeat(5_000) }, 200],
  ['5,000 emoji', { script: '🙂'.repeat(5_000) }, 200],
  ['5,001 characters', { script: 'a'.repeat(5_001) }, 400],
  ['a listed voice', { voice_id: 'whisper' }, 200],
  ['an unknown voice', { voice_id: 'nobody' }, 400],
  ['a spoken language', { language: 'de-AT' }, 200],
  ['an unknown language', { language: 'tlh' }, 400],
])('avatar with %s', async (_name, changes, status) => {
  const { submit } = await useCapabilities();
  const answer = await submit('avatar', changes);
  expect([answer.status, answer.code]).toEqual([status, status === 200 ? undefined : 'invalid_input']);
});

test('a capability that is disabled or has no engine refuses only its own requests', async () => {
  const { submit, server } = await useCapabilities();
  server.admin.switchCapability('video_swap', false);
  for (const feature of CAPABILITIES) {
    const { status, code } = await submit(feature);
    const isOff = feature === 'video_swap';
    expect([feature, status, code]).toEqual([
      feature,
      isOff ? 400 : 200,
      isOff ? 'capability_unavailable' : undefined,
    ]);
  }
  const { api } = await useServer();
  const { file_key: key } = (await api.upload(Buffer.from('v'), 'video/mp4')).json as WireUpload;
  const answer = await api.post('/face-swap', { video_key: key, face_key: await api.uploadPicture() });
  expect(answer).toMatchObject({ status: 400, json: { error: { code: 'capability_unavailable' } } });
});
