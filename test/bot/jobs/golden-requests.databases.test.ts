import { describe, expect, test } from 'vitest';
import { JOB_FORMS } from '../../../src/bot/discord/words/forms/job-forms.ts';
import { requestJob } from '../../../commands/media-job/request-job.ts';
import type { Capability } from '../../../src/media-api/wire.ts';
import { type GivenOptions, aCall, aFile } from '../discord/a-call.ts';
import { aVoice, servicesOf } from '../discord/use-services.ts';
import { refuse } from '../../media-api/use-stub-api.ts';
import { sample } from '../../helpers/use-community.ts';
import { type Pipeline, usePipeline } from './use-pipeline.ts';

const image = aFile('image.jpg');
const face = aFile('face.jpg');
const video = aFile('video.mp4');
const audio = aFile('audio.wav');

/** Creates a pipeline with real files. The service's key for each upload contains the file's name. */
async function useMembers(): Promise<Pipeline> {
  const files = new Map([
    [image.url, (await sample('portrait-man-dark-hair.jpg')).bytes],
    [face.url, (await sample('portrait-woman-brown-hair.jpg')).bytes],
    [video.url, (await sample('talking-woman-512.mp4')).bytes],
    [audio.url, (await sample('speech-woman-16k.wav')).bytes],
  ]);
  const pipeline = await usePipeline({ files });
  pipeline.script.upload = [
    async (_request, response, read) => {
      await read();
      const body = pipeline.received.at(-1)?.body;
      const [url] = [...files].find(([, bytes]) => body?.includes(heartOf(bytes))) ?? [''];
      const answer = { file_key: keyOf({ url }), url: 'http://127.0.0.1/u' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    },
  ];
  return pipeline;
}

/** Returns bytes from the middle of a file, which stay the same when the metadata is removed. */
function heartOf(bytes: Uint8Array): Buffer {
  const start = Math.floor(bytes.length * 0.6);
  return Buffer.from(bytes.subarray(start, start + 200));
}

/** Returns the service's key for a file. It looks unusual on purpose, because it must be sent back unchanged. */
function keyOf({ url }: { readonly url: string }): string {
  return `api/some file%2F${url.split('/').at(-1)}`;
}

/** Returns the submission that the service receives for a member's command. */
async function submitOf(
  pipeline: Pipeline,
  capability: Capability,
  options: GivenOptions,
): Promise<{ method: string; url: string; body: unknown; raw: string }> {
  const call = aCall(options, { receivedAtMs: pipeline.clock.now() });
  const voices = { list: [aVoice('Ann')] };
  const services = servicesOf(pipeline.jobs.intake, { voices });
  const result = await requestJob(JOB_FORMS[capability], call, services);
  if (result.kind !== 'job') throw new Error(`Not taken in: ${JSON.stringify(result)}`);
  await pipeline.jobs.intake.acknowledged(result.jobId, null);
  await pipeline.until(result.jobId, 'settled');
  const submits = pipeline.received.filter(({ headers }) => headers['idempotency-key'] !== undefined);
  expect(submits).toHaveLength(1);
  const [submit] = submits;
  if (!submit) throw new Error('Nothing was submitted');
  const raw = submit.body.toString();
  return { method: submit.method, url: submit.url, body: JSON.parse(raw), raw };
}

describe('the request of a command', () => {
  test.each<[Capability, GivenOptions, string, Record<string, unknown>]>([
    [
      'photo_swap',
      { image, face },
      '/api/v1/face-swap-image',
      { image_key: keyOf(image), face_key: keyOf(face) },
    ],
    [
      'video_swap',
      { video, face, resolution: 720 },
      '/api/v1/face-swap',
      { video_key: keyOf(video), face_key: keyOf(face), output_resolution_p: 720 },
    ],
    [
      'identity_swap',
      { video, character: face, resolution: '2k' },
      '/api/v1/character-swap',
      { video_key: keyOf(video), character_key: keyOf(face), resolution: '2k' },
    ],
    [
      'motion_transfer',
      { image, motion: video },
      '/api/v1/motion-control',
      { image_key: keyOf(image), motion_video_key: keyOf(video) },
    ],
    [
      'avatar',
      { image, script: 'Good evening!', voice: 'Ann', language: 'en', resolution: 480 },
      '/api/v1/avatar',
      {
        image_key: keyOf(image),
        script: 'Good evening!',
        voice_id: 'voice_Ann',
        language: 'en',
        output_resolution_p: 480,
      },
    ],
    [
      'lip_sync',
      { video, audio, resolution: 1080 },
      '/api/v1/lip-sync',
      { video_key: keyOf(video), audio_key: keyOf(audio), output_resolution_p: 1080 },
    ],
  ])('is exactly the documented one: %s', async (capability, options, url, body) => {
    const submit = await submitOf(await useMembers(), capability, options);

    expect(submit).toMatchObject({ method: 'POST', url });
    expect(submit.body).toEqual(body);
  });

  test.each<[Capability, GivenOptions, Record<string, unknown>]>([
    ['video_swap', { video, face }, { video_key: keyOf(video), face_key: keyOf(face) }],
    ['identity_swap', { video, character: face }, { video_key: keyOf(video), character_key: keyOf(face) }],
    ['avatar', { image, script: 'Hi' }, { image_key: keyOf(image), script: 'Hi' }],
    ['lip_sync', { video, audio }, { video_key: keyOf(video), audio_key: keyOf(audio) }],
  ])('leaves out what the member left out: %s', async (capability, options, body) => {
    const submit = await submitOf(await useMembers(), capability, options);

    expect(submit.body).toEqual(body);
    expect(submit.raw).not.toContain('null');
  });
});

describe('a voice that the service refuses', () => {
  test('makes the bot read the voices again', async () => {
    const pipeline = await useMembers();
    pipeline.script.submit = [refuse(400, 'invalid_input')];
    const reads = (): number => pipeline.received.filter(({ url }) => url.endsWith('/voices')).length;
    await expect.poll(reads).toBeGreaterThan(0);
    const before = reads();
    pipeline.clock.shift(60_000);

    await submitOf(pipeline, 'avatar', { image, script: 'Hi', voice: 'Ann' });

    await expect.poll(reads).toBeGreaterThan(before);
    expect(pipeline.publisher.cards).toMatchObject([
      { failure: { reason: 'service_refused', code: 'invalid_input' }, charged: 0 },
    ]);
  });
});
