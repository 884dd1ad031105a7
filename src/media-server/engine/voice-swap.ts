/** Converts live speech into other voices. */
export interface VoiceSwapEngine {
  /** The voices on offer; at least one. */
  readonly voices: readonly Voice[];

  /** A short sample of the voice as a WAV file. Throws `RangeError` for a voice that is not on offer. */
  preview(voiceId: string, signal: AbortSignal): Promise<Uint8Array>;

  /**
   * Takes one place and is ready to convert. Throws `CapacityError` when none is free. The caller disposes the
   * stream, which gives the place back.
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
  /** How many samples a message usually holds. */
  readonly chunkFrames: number;
}

/** One speaker's conversion, in order. */
export interface VoiceStream extends AsyncDisposable {
  /** How much later the converted voice comes than the speech, in samples. */
  readonly latencyFrames: number;

  /**
   * Takes mono samples and returns as many converted ones, those of `latencyFrames` earlier (silence at first).
   * Calls may overlap; answers come in order. Throws when the stream has died.
   */
  convert(pcm: Int16Array): Promise<Int16Array>;
}
