import { ALL_FORMATS, AudioSampleSink, EncodedPacketSink, FilePathSource, Input } from 'mediabunny';
import { registerMediabunnyServer } from '@mediabunny/server';
import * as av from 'node-av';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';

registerMediabunnyServer({ hardwareContext: null });
av.Log.setLevel(av.AV_LOG_QUIET);

let loaded: Promise<MediabunnyCodec> | undefined;

/** Decoding stops at this length, because forged files may go on for much longer. */
const DECODED_SECONDS_MAX = 900;
const SILENCE_RATE_HZ = 8_000;

/** For how long each program plays a file, in seconds; 0 if the program cannot read it. */
export interface DecodedLengths {
  readonly ffmpeg: number;
  readonly mediabunny: number;
  readonly mediaServer: number;
}

/** Decodes the whole file with each program, and reports each length as soon as it is known. */
export async function decodedLengths(
  path: string,
  report: (length: Partial<DecodedLengths>) => void = () => undefined,
): Promise<DecodedLengths> {
  const ffmpeg = await orNothing(() => byFfmpeg(path));
  report({ ffmpeg });
  const mediabunny = await orNothing(() => byMediabunny(path));
  report({ mediabunny });
  const mediaServer = await orNothing(() => byMediaServer(path));
  report({ mediaServer });
  return { ffmpeg, mediabunny, mediaServer };
}

/**
 * Measures as much as possible: readers fail on forged files in many ways, and whatever was decoded before the failure
 * counts.
 */
async function orNothing(measure: () => AsyncGenerator<number> | Generator<number>): Promise<number> {
  let length = 0;
  try {
    for await (const seconds of measure()) {
      length = Math.max(length, seconds);
      if (length > DECODED_SECONDS_MAX) break;
    }
  } catch {
    // A file that cannot be read has no length.
  }
  return length;
}

/**
 * Uses FFmpeg's own readers and decoders. For each track, yields the end of the latest frame, or the duration of all
 * its sound so far if that is longer. Handing small packets to another thread takes longer than decoding them, so this
 * thread decodes them.
 */
function* byFfmpeg(path: string): Generator<number> {
  const count = ffmpegStreams(path);
  for (let index = 0; index < count; index += 1) yield* byFfmpegTrack(path, index);
}

function ffmpegStreams(path: string): number {
  using demuxer = av.Demuxer.openSync(path);
  return demuxer.streams.length;
}

function* byFfmpegTrack(path: string, index: number): Generator<number> {
  using demuxer = av.Demuxer.openSync(path);
  const stream = demuxer.streams[index];
  const type = stream?.codecpar.codecType;
  if (!stream || (type !== av.AVMEDIA_TYPE_AUDIO && type !== av.AVMEDIA_TYPE_VIDEO)) return;
  using decoder = av.Decoder.createSync(stream, { exitOnError: false });
  let sound = 0;
  for (const frame of decoder.framesSync(demuxer.packetsSync(index))) {
    if (!frame) continue;
    using shown = frame;
    // An audio frame's length follows from its number of samples.
    const { num, den } = shown.timeBase.num > 0 ? shown.timeBase : stream.timeBase;
    const own = shown.sampleRate > 0 ? shown.nbSamples / shown.sampleRate : 0;
    const start = shown.pts === av.AV_NOPTS_VALUE ? 0 : (Number(shown.pts) * num) / den;
    sound += own;
    yield Math.max(sound, start + (own || (Number(shown.duration) * num) / den));
  }
}

/** Yields the end of every packet according to its times, and then the length of the decoded sound. */
async function* byMediabunny(path: string): AsyncGenerator<number> {
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  for (const track of await input.getTracks()) {
    if (track.type === 'subtitle') continue;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      yield packet.timestamp + packet.duration;
    }
  }
  for (const track of await input.getAudioTracks()) {
    let sound = 0;
    for await (const sample of new AudioSampleSink(track).samples()) {
      using heard = sample;
      sound += heard.duration;
      yield Math.max(sound, heard.timestamp + heard.duration);
    }
  }
}

/** Yields the length that the embedded media server decodes when it creates a result. */
async function* byMediaServer(path: string): AsyncGenerator<number> {
  const codec = await (loaded ??= MediabunnyCodec.load());
  const { audio, video } = await codec.probe(path);
  if (audio) {
    let samples = 0;
    for await (const piece of codec.readAudio(path, SILENCE_RATE_HZ)) {
      samples += piece.length;
      yield samples / SILENCE_RATE_HZ;
    }
  }
  if (!video) return;
  for await (const { timestamp, duration } of codec.readVideo(path, { shorterSide: 32 })) {
    yield timestamp + duration;
  }
}
