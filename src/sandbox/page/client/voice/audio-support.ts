import { RATE_HZ } from './packet-size.ts';

/** The Opus configurations of the encoder and the decoder. The page uses them only if the browser supports them. */
export const ENCODER: AudioEncoderConfig = {
  codec: 'opus',
  sampleRate: RATE_HZ,
  numberOfChannels: 1,
  bitrate: 64_000,
  opus: { frameDuration: 20_000, format: 'opus' },
};
export const DECODER: AudioDecoderConfig = { codec: 'opus', sampleRate: RATE_HZ, numberOfChannels: 2 };

/**
 * The browser's support for sound. A property is null if it works, otherwise the reason why it does not, as text for
 * the member.
 */
export interface AudioSupport {
  readonly hearing: string | null;
  readonly microphone: string | null;
}

/** Finds out what the browser supports, without asking the member for permission. */
export async function audioSupport(): Promise<AudioSupport> {
  if (!isSecureContext) {
    const why =
      'Browsers allow sound of this kind only at addresses of this machine or behind https. Open the page there.';
    return { hearing: why, microphone: why };
  }
  const [hears, encodes] = await Promise.all([knowsOpus('AudioDecoder'), knowsOpus('AudioEncoder')]);
  const newer = 'A newer Chrome, Edge, Firefox or Safari can';
  return {
    hearing: hears ? null : `This browser cannot play what is said in a call. ${newer}.`,
    microphone:
      encodes && 'mediaDevices' in navigator
        ? null
        : `This browser cannot send your microphone. ${newer}; or say a sample.`,
  };
}

async function knowsOpus(which: 'AudioDecoder' | 'AudioEncoder'): Promise<boolean> {
  if (!(which in globalThis) || !('AudioWorkletNode' in globalThis)) return false;
  try {
    const asked =
      which === 'AudioDecoder'
        ? AudioDecoder.isConfigSupported(DECODER)
        : AudioEncoder.isConfigSupported(ENCODER);
    return (await asked).supported === true;
  } catch {
    return false;
  }
}
