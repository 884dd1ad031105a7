import type * as mediabunny from 'mediabunny';
import { systemErrorCode } from '../../../base/errors.ts';
import { RenderError } from '../render-error.ts';
import { PRIMING_FRAMES, type SoundPiece, blocksInTime, monoPieces, piecesOf } from './aac-priming.ts';
import type { Sound } from './codec.ts';
import type { NodeAv } from './node-av.ts';
import { openClip } from './open-clip.ts';
import { readMono } from './read-mono.ts';

type Mediabunny = typeof mediabunny;

interface Libraries {
  readonly bunny: Mediabunny;
  readonly av: NodeAv;
}

/** The sound of a clip that is being written. */
export interface SoundTrack extends AsyncDisposable {
  /** Writes the sound up to this moment, as far as it has not been written yet. */
  writeUntil(seconds: number): Promise<void>;
  /** Writes the rest and closes the track. */
  finish(): Promise<void>;
}

const SOUND_BITRATE = 160_000;
const SOUND_PIECE_FRAMES = 4_096;
/** Codecs that players support in an MP4. Sound in other codecs is encoded again. */
const COPIED: readonly (string | null)[] = ['aac', 'mp3', 'opus', 'flac', 'ac3', 'eac3'];

/**
 * The sample rates and channel counts that the AAC encoder supports. Other sound is converted to mono at 48
 * kHz.
 */
const AAC_RATES_HZ: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const AAC_CHANNELS: readonly number[] = [1, 2, 6, 8];
const MONO_RATE_HZ = 48_000;

const NO_SOUND: SoundTrack = {
  writeUntil: () => Promise.resolve(),
  finish: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Adds a track for `sound` to `output`, which must not have been started. */
export async function addSound(
  { bunny, av }: Libraries,
  output: mediabunny.Output,
  sound: Sound,
): Promise<SoundTrack> {
  if (sound.from === 'nowhere') return NO_SOUND;
  if (sound.from === 'samples') {
    const source = aacSource(bunny);
    output.addAudioTrack(source);
    return steps(encodeSamples(bunny, source, sound.samples, sound.sampleRateHz));
  }
  const input = openClip(bunny, sound.path);
  try {
    const work = await soundOf({ bunny, av }, input, output);
    if (work) return steps(work, () => input.dispose());
  } catch (error) {
    input.dispose();
    throw error;
  }
  input.dispose();
  return NO_SOUND;
}

async function soundOf(
  { bunny, av }: Libraries,
  input: mediabunny.Input,
  output: mediabunny.Output,
): Promise<AsyncGenerator<number> | undefined> {
  const track = await input.getPrimaryAudioTrack();
  if (!track) return undefined;
  const decoderConfig = await track.getDecoderConfig();
  if (track.codec && decoderConfig && COPIED.includes(track.codec)) {
    const source = new bunny.EncodedAudioPacketSource(track.codec);
    output.addAudioTrack(source, { languageCode: track.languageCode });
    return copyPackets(bunny, source, track, decoderConfig);
  }
  if (!(await track.canDecode()))
    throw new RenderError('unsupported_format', 'Cannot decode the sound of the clip');
  const source = aacSource(bunny);
  output.addAudioTrack(source, { languageCode: track.languageCode });
  const fits = AAC_RATES_HZ.includes(track.sampleRate) && AAC_CHANNELS.includes(track.numberOfChannels);
  const pieces = fits
    ? piecesOf(new bunny.AudioSampleSink(track).samples())
    : monoPieces(readMono(bunny, av, track, MONO_RATE_HZ), MONO_RATE_HZ);
  return encodeAgain(bunny, source, pieces);
}

/** Returns a track that runs `work` only as far as requested. `work` yields the time up to which it has written. */
function steps(work: AsyncGenerator<number>, close: () => void = () => undefined): SoundTrack {
  let written = 0;
  let ended = false;
  const advance = async (seconds: number): Promise<void> => {
    while (!ended && written < seconds) {
      const step = await work.next();
      if (step.done) ended = true;
      else written = step.value;
    }
  };
  const dispose = async (): Promise<void> => {
    await work.return(undefined);
    close();
  };
  return {
    writeUntil: advance,
    async finish() {
      await advance(Infinity);
      close();
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function* copyPackets(
  bunny: Mediabunny,
  source: mediabunny.EncodedAudioPacketSource,
  track: mediabunny.InputAudioTrack,
  decoderConfig: AudioDecoderConfig,
): AsyncGenerator<number> {
  for await (const packet of untilTruncated(new bunny.EncodedPacketSink(track).packets())) {
    await source.add(packet, { decoderConfig });
    yield packet.timestamp + packet.duration;
  }
  source.close();
}

async function* encodeAgain(
  bunny: Mediabunny,
  source: mediabunny.AudioSampleSource,
  pieces: AsyncIterable<SoundPiece>,
): AsyncGenerator<number> {
  for await (const { data, channels, sampleRateHz, start } of blocksInTime(untilTruncated(pieces))) {
    using sample = new bunny.AudioSample({
      data,
      format: 'f32',
      numberOfChannels: channels,
      sampleRate: sampleRateHz,
      timestamp: start / sampleRateHz,
    });
    await source.add(sample);
    yield (start + PRIMING_FRAMES) / sampleRateHz + sample.duration;
  }
  source.close();
}

/** Yields the items, and ends without an error where the clip is truncated. */
async function* untilTruncated<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (systemErrorCode(error) !== undefined) throw error;
  }
}

async function* encodeSamples(
  bunny: Mediabunny,
  source: mediabunny.AudioSampleSource,
  samples: Float32Array,
  sampleRateHz: number,
): AsyncGenerator<number> {
  const early = samples.subarray(PRIMING_FRAMES);
  for (let at = 0; at < early.length; at += SOUND_PIECE_FRAMES) {
    using sample = new bunny.AudioSample({
      data: early.subarray(at, at + SOUND_PIECE_FRAMES),
      format: 'f32',
      numberOfChannels: 1,
      sampleRate: sampleRateHz,
      timestamp: at / sampleRateHz,
    });
    await source.add(sample);
    yield (at + SOUND_PIECE_FRAMES) / sampleRateHz;
  }
  source.close();
}

function aacSource(bunny: Mediabunny): mediabunny.AudioSampleSource {
  return new bunny.AudioSampleSource({ codec: 'aac', bitrate: SOUND_BITRATE });
}
