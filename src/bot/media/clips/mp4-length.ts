import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { PACKET_BYTES_MAX } from '../sounds/sound-meter.ts';
import { type Sample, type SampleTables, SAMPLES_MAX } from './mp4-samples.ts';
import type { TrackSound } from './mp4-sound.ts';
import { Playhead } from './playhead.ts';

/**
 * If a track's length according to its clock and its length according to its sound differ by more than this share, the
 * two are added, because a decoder may take as long as both together.
 */
const AGREEMENT = 0.02;

/** Measures a track's length from the samples that the index and the fragments describe. */
export class Mp4Length {
  readonly #clockHz: number;
  readonly #lateSeconds: number;
  readonly #sound: TrackSound | undefined;
  readonly #playhead: Playhead = new Playhead();
  #samples = 0;
  /** The decoding time, in units of the track's clock, at which a fragment without its own start time begins. */
  #decoded = 0;

  /** `lateSeconds` is the time from the start of the clip to the start of the track. */
  constructor(options: {
    readonly clockHz: number;
    readonly lateSeconds: number;
    readonly sound: TrackSound | undefined;
  }) {
    this.#clockHz = options.clockHz;
    this.#lateSeconds = options.lateSeconds;
    this.#sound = options.sound;
  }

  get seconds(): number {
    return this.#playhead.seconds;
  }

  get decoded(): number {
    return this.#decoded;
  }

  async addIndex(source: MediaSource, tables: SampleTables): Promise<void> {
    if (this.#sound?.pcm) this.#addPlain(this.#sound, tables);
    else for (const sample of tables.samples()) await this.add(source, sample);
    this.#decoded = tables.duration;
  }

  async add(source: MediaSource, sample: Sample): Promise<void> {
    this.#samples += 1;
    if (this.#samples > SAMPLES_MAX) throw damaged('a track of a clip has too many samples');
    const { at, sizeBytes, time, duration } = sample;
    const from = this.#lateSeconds + time / this.#clockHz;
    this.#playhead.show(from, duration / this.#clockHz);
    this.#decoded += duration;
    if (!this.#sound) return source.spend(1);
    const { meter } = this.#sound;
    if (meter.headBytes > 0 && sizeBytes > PACKET_BYTES_MAX) throw damaged('a packet of sound is too large');
    const head = await source.upTo(at, Math.min(meter.headBytes, sizeBytes));
    this.#playhead.play(from, meter.seconds(head, sizeBytes));
  }

  /** Adds uncompressed sound. In some clips, a sample is one audio frame; in others, it contains many. */
  #addPlain({ meter, pcm }: TrackSound, { count, duration, latest, totalBytes }: SampleTables): void {
    const none = Buffer.alloc(0);
    const played = Math.max(count / (pcm?.rateHz ?? this.#clockHz), meter.seconds(none, totalBytes));
    const stated = duration / this.#clockHz;
    const agrees = Math.abs(played - stated) <= AGREEMENT * played;
    this.#playhead.play(
      this.#lateSeconds + latest / this.#clockHz,
      agrees ? Math.max(played, stated) : played + stated,
    );
  }
}
