import { describe, expect, test } from 'vitest';
import type { CommandCall, CommandServices } from '../../../../src/bot/discord/command.ts';
import { JOB_FORMS } from '../../../../src/bot/discord/words/forms/job-forms.ts';
import { requestJob } from '../../../../commands/media-job/request-job.ts';
import type { Capability } from '../../../../src/media-api/wire.ts';
import { type GivenOptions, aCall, aFile } from '../a-call.ts';
import { MemoryIntake } from '../use-intake.ts';
import { aVoice, savedFaces, servicesOf } from '../use-services.ts';
import type { JobRequest } from '../../../../src/bot/jobs/job-request.ts';

const image = aFile('image.jpg');
const face = aFile('face.png');
const video = aFile('video.mp4');
const audio = aFile('audio.wav');
const ANN = { id: 'face_1', name: 'Ann' };

/** Returns what a command leads to: the accepted request, or the text of the refusal. */
async function outcome(
  capability: Capability,
  options: GivenOptions,
  services: Partial<CommandServices> = {},
): Promise<{ request?: JobRequest; text: string }> {
  const intake = new MemoryIntake();
  const call: CommandCall = aCall(options);
  const result = await requestJob(JOB_FORMS[capability], call, servicesOf(intake, services));
  const [request] = intake.requests;
  if (result.kind === 'job' && request) return { request, text: '' };
  if (result.kind !== 'reply') throw new Error(`Unexpected: ${result.kind}`);
  expect(intake.requests).toEqual([]);
  const [embed] = result.reply.embeds;
  return { text: `${embed?.title}\n${embed?.description}` };
}

async function sourcesOf(...args: Parameters<typeof outcome>): Promise<Record<string, unknown>> {
  const { request, text } = await outcome(...args);
  if (!request) throw new Error(`Refused: ${text}`);
  return Object.fromEntries(request.inputs.map(({ option, source }) => [option, source]));
}

describe('an input of a command', () => {
  test('is the attached file', async () => {
    expect(await sourcesOf('photo_swap', { image, face })).toEqual({
      image: { from: 'chat', url: image.url, sizeBytes: 1_000 },
      face: { from: 'chat', url: face.url, sizeBytes: 1_000 },
    });
  });

  test.each<[Capability, GivenOptions, string]>([
    ['photo_swap', { image }, 'face'],
    ['video_swap', { video }, 'face'],
    ['identity_swap', { video }, 'character'],
    ['motion_transfer', { motion: video }, 'image'],
    ['avatar', { script: 'Hi' }, 'image'],
  ])('can be a saved face, named or the default: %s', async (capability, options, option) => {
    const faces = savedFaces([{ id: 'face_0', name: 'Me' }, ANN]);

    const named = await sourcesOf(capability, { ...options, saved_face: 'Ann' }, { faces });
    const usual = await sourcesOf(capability, options, { faces });

    expect(named[option]).toEqual({ from: 'saved_face', faceId: 'face_1' });
    expect(usual[option]).toEqual({ from: 'saved_face', faceId: 'face_0' });
  });

  test('is the attached file rather than the default face', async () => {
    const sources = await sourcesOf('photo_swap', { image, face }, { faces: savedFaces([ANN]) });

    expect(sources['face']).toMatchObject({ from: 'chat' });
  });

  test.each<[Capability, GivenOptions, string]>([
    ['photo_swap', { face }, 'image'],
    ['photo_swap', { image }, 'face'],
    ['video_swap', { face }, 'video'],
    ['motion_transfer', { image }, 'motion'],
    ['avatar', { script: 'Hi' }, 'image'],
    ['lip_sync', { audio }, 'video'],
  ])('can be the newest file of the channel: %s of %o', async (capability, options, option) => {
    const faces = savedFaces([ANN]);
    const sources = await sourcesOf(capability, { ...options, newest: option }, { faces });

    expect(sources[option]).toEqual({ from: 'newest' });
  });

  test.each<[GivenOptions, string]>([
    [{ image, face, saved_face: 'Ann' }, '`face` and `saved_face`'],
    [{ image, face, newest: 'face' }, '`face` and `newest`'],
    [{ image, saved_face: 'Ann', newest: 'face' }, '`saved_face` and `newest`'],
    [{ image, face, saved_face: 'Ann', newest: 'face' }, '`face`, `saved_face` and `newest`'],
  ])('is refused when it is given twice: %o', async (options, named) => {
    const { text } = await outcome('photo_swap', options, { faces: savedFaces([ANN]) });

    expect(text).toContain('Photo Swap: given twice');
    expect(text).toContain(`${named} are for the same thing.`);
    expect(text).toContain('Nothing was charged.');
  });

  test.each<[Capability, GivenOptions, string]>([
    [
      'photo_swap',
      { image },
      'There is nothing in `face`.\nSend the command again and attach a file in `face`, choose one in `saved_face` or set `newest` to face.',
    ],
    [
      'video_swap',
      { face },
      'There is nothing in `video`.\nSend the command again and attach a file in `video` or set `newest` to video.',
    ],
    [
      'lip_sync',
      { video },
      'There is nothing in `audio`.\nSend the command again and attach a file in `audio`.',
    ],
  ])('is requested when it is missing, with every way to give it: %s', async (capability, options, words) => {
    expect((await outcome(capability, options)).text).toContain(words);
  });

  test('is refused when it names a face that the member has not saved', async () => {
    const { text } = await outcome('photo_swap', { image, saved_face: 'Somebody' });

    expect(text).toContain('You have no saved face of that name.');
  });

  test.each<[Capability, GivenOptions, string]>([
    ['photo_swap', { image: video, face }, 'The file in `image` is not a picture.'],
    ['video_swap', { video: image, face }, 'The file in `video` is not a video.'],
    ['identity_swap', { video, character: audio }, 'The file in `character` is not a picture.'],
    ['motion_transfer', { image, motion: audio }, 'The file in `motion` is not a video.'],
    ['lip_sync', { video, audio: image }, 'The file in `audio` is not a recording.'],
    ['photo_swap', { image, face: aFile('notes.txt') }, 'The file in `face` is not a picture.'],
  ])('is refused at once when its name indicates another kind: %s', async (capability, options, words) => {
    expect((await outcome(capability, options)).text).toContain(words);
  });

  test('may be a recording in a video container or a file of unknown type, because its bytes decide', async () => {
    const sound = aFile('voice.webm', { contentType: 'video/webm' });
    const unknown = aFile('clip', { contentType: null });

    expect(await sourcesOf('lip_sync', { video: unknown, audio: sound })).toMatchObject({
      video: { url: unknown.url },
      audio: { url: sound.url },
    });
  });
});

describe('the script of an avatar', () => {
  const script_file = aFile('speech.txt');

  test.each([
    ['ASCII at the limit', 'a'.repeat(5_000)],
    ['emoji at the limit', '😀'.repeat(2_500)],
  ])('may have 5,000 characters: %s', async (_name, script) => {
    const { request } = await outcome('avatar', { image, script });

    expect(request?.parameters).toEqual({ script });
  });

  test.each([
    ['ASCII beyond the limit', 'a'.repeat(5_001), '5,001'],
    ['emoji that some methods count once', '😀'.repeat(2_501), '5,002'],
  ])('is refused beyond the limit, by the stricter count: %s', async (_name, script, length) => {
    const { text } = await outcome('avatar', { image, script });

    expect(text).toContain(`The text in \`script\` has ${length} characters. The most allowed is 5,000.`);
  });

  test('can be given as a text file', async () => {
    const { request } = await outcome('avatar', { image, script_file });

    expect(request?.parameters).toEqual({});
    expect(request?.inputs.at(-1)).toEqual({
      field: 'script',
      option: 'script_file',
      kind: 'text',
      source: { from: 'chat', url: script_file.url, sizeBytes: 1_000 },
    });
  });

  test.each<[string, GivenOptions, string]>([
    ['there is none', { image }, 'write it in `script` or attach a text file in `script_file`'],
    ['it is blank', { image, script: ' \n\t ' }, 'There is nothing in `script`.'],
    [
      'both are given',
      { image, script: 'Hi', script_file },
      '`script` and `script_file` are for the same thing',
    ],
    ['the file is no text', { image, script_file: image }, 'The file in `script_file` is not plain text.'],
  ])('is refused when %s', async (_name, options, words) => {
    expect((await outcome('avatar', options)).text).toContain(words);
  });
});

describe('a value', () => {
  const avatar = { image, script: 'Hi' };
  const voices = { list: [aVoice('Ann'), aVoice('Bea')] };

  test('is sent as the API expects it, and is omitted if the member omitted it', async () => {
    const all = await outcome(
      'avatar',
      { ...avatar, resolution: 720, language: 'pt-BR', voice: 'bea' },
      { voices },
    );
    const none = await outcome('avatar', avatar, { voices });

    expect(all.request?.parameters).toEqual({
      script: 'Hi',
      output_resolution_p: 720,
      language: 'pt-BR',
      voice_id: 'voice_Bea',
    });
    expect(none.request?.parameters).toEqual({ script: 'Hi' });
  });

  test.each<[Capability, GivenOptions, string]>([
    ['video_swap', { video, face, resolution: 721 }, 'It takes: 480, 720, 1080.'],
    ['video_swap', { video, face, resolution: '720' }, 'It takes: 480, 720, 1080.'],
    ['identity_swap', { video, character: face, resolution: '4k' }, 'It takes: 1k, 2k.'],
    ['avatar', { ...avatar, language: 'the one of the "Swiss"' }, 'such as en, de or pt-BR'],
    ['photo_swap', { image, newest: 'audio' }, 'It takes: image, face.'],
  ])('is refused when it is not offered: %s %o', async (capability, options, words) => {
    expect((await outcome(capability, options)).text).toContain(words);
  });

  test('is refused when it names a voice that does not exist', async () => {
    const { text } = await outcome('avatar', { ...avatar, voice: 'Cleo' }, { voices });

    expect(text).toContain('The media service has no voice of that name.');
  });

  test('is refused while the voices are unknown, and when there are none', async () => {
    const unknown = await outcome('avatar', { ...avatar, voice: 'Ann' }, { voices: { list: null } });
    const empty = await outcome('avatar', { ...avatar, voice: 'Ann' }, { voices: { list: [] } });

    expect(unknown.text).toContain('leave `voice` out: then the service chooses one');
    expect(empty.text).toContain('or leave `voice` out');
  });
});
