/** Converts live speech into other voices. */
export interface VoiceSwapEngine {
  /** The voices on offer, at least one. */
  readonly voices: readonly Voice[];

  /** Returns a short sample of the voice as a WAV file. Throws `RangeError` for a voice that is not in `voices`. */
  preview(voiceId: string, signal: AbortSignal): Promise<Uint8Array>;

  /**
   * Opens a stream, which takes one of the engine's places, and prepares to convert. Throws `CapacityError` if no place
   * is free. The caller disposes the stream, which releases the place.
   */
  open(options: VoiceStreamOptions): Promise<VoiceStream>;
}

/** A voice as the API lists it. */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface VoiceStreamOptions {
  readonly voiceId: string;
  readonly sampleRateHz: number;
  /** The usual number of samples in a message. */
  readonly chunkFrames: number;
}

/** The stream of one speaker's speech, which is converted in order. */
export interface VoiceStream extends AsyncDisposable {
  /** The delay of the converted voice, in samples. */
  readonly latencyFrames: number;

  /**
   * Converts mono samples and returns the same number of converted ones, which are delayed by `latencyFrames` (silence
   * at first). Calls may overlap; results come in order. Throws after the stream has failed.
   */
  convert(pcm: Int16Array): Promise<Int16Array>;
}
