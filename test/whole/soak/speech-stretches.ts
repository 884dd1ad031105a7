import { type OpusSpeech, SILENCE_FRAME, encodeSpeech } from '../../../src/sandbox/voice/speech.ts';
import type { LoggedPacket } from '../../../src/sandbox/voice/packet-log.ts';
import { addedLatencies } from '../../bench/channel/added-latency.ts';
import { VOICE, speechOf } from '../../bench/channel/speech.ts';
import { quantile } from '../../bench/quantile.ts';
import type { SoakPlace } from './soak-place.ts';

/** The results of one stretch, which is about twenty seconds of speech. */
export interface Stretch {
  readonly compared: number;
  readonly latencyP50Ms: number;
  readonly latencyP95Ms: number;
  /** Frames that the bot played. */
  readonly framesPlayed: number;
  readonly framesLeftOut: number;
}

const STRETCH_SECONDS = 20;
const SAMPLES_PER_FRAME = 960;
const TIMESTAMPS = 2 ** 32;

export class Stretches {
  readonly all: Stretch[] = [];
  readonly #place: SoakPlace;
  readonly #speech: OpusSpeech;

  private constructor(place: SoakPlace, speech: OpusSpeech) {
    this.#place = place;
    this.#speech = speech;
  }

  static async open(place: SoakPlace): Promise<Stretches> {
    return new Stretches(place, await encodeSpeech(await speechOf(STRETCH_SECONDS)));
  }

  /** The length of a stretch in seconds. */
  get seconds(): number {
    return (this.#speech.frames.length * VOICE.frameMs) / 1000;
  }

  /** Plays a stretch, and returns what the listener received. */
  async play(): Promise<Stretch> {
    const { hall, speaker, listener, botUser } = this.#place;
    hall.voice.forgets();
    await speaker.voice.speaks(this.#speech);
    const said = listener.voice.packetsOf(speaker, hall);
    const played = listener.voice.packetsOf(botUser, hall);
    const added = await addedLatencies(said, played);
    const stretch = {
      compared: added.length,
      latencyP50Ms: quantile(added, 0.5),
      latencyP95Ms: quantile(added, 0.95),
      framesPlayed: played.length,
      framesLeftOut: leftOut(played),
    };
    this.all.push(stretch);
    return stretch;
  }
}

/** Returns the number of frames that the bot's timestamps skip although the bot had not fallen silent before. */
function leftOut(played: readonly LoggedPacket[]): number {
  let count = 0;
  for (const [index, { timestamp }] of played.entries()) {
    const before = played[index - 1];
    if (!before?.opus || Buffer.compare(before.opus, SILENCE_FRAME) === 0) continue;
    const step = (timestamp - before.timestamp + TIMESTAMPS) % TIMESTAMPS;
    count += Math.max(0, Math.round(step / SAMPLES_PER_FRAME) - 1);
  }
  return count;
}
