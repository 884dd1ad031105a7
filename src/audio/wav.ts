/** Mono sound of 16-bit samples. */
interface MonoSound {
  readonly sampleRateHz: number;
  readonly pcm: Int16Array;
}

const HEADER_BYTES = 44;
/** The most chunks to read. Further chunks of a file say nothing about its sound. */
const CHUNKS_MAX = 1_000;

/** Returns a WAV file of the sound. */
export function writeWav({ sampleRateHz, pcm }: MonoSound): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + 2 * pcm.length);
  const view = new DataView(bytes.buffer);
  writeText(bytes, 0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  writeText(bytes, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, 2 * sampleRateHz, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeText(bytes, 36, 'data');
  view.setUint32(40, 2 * pcm.length, true);
  for (let n = 0; n < pcm.length; n++) view.setInt16(HEADER_BYTES + 2 * n, pcm[n] ?? 0, true);
  return bytes;
}

/** Reads a WAV file of 16-bit mono samples. Throws `RangeError` for anything else. */
export function readWav(bytes: Uint8Array): MonoSound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (readText(bytes, 0) !== 'RIFF' || readText(bytes, 8) !== 'WAVE') throw refusal('it is no WAV file');
  let sampleRateHz = 0;
  let at = 12;
  for (let count = 0; at + 8 <= bytes.length && count < CHUNKS_MAX; count += 1) {
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (readText(bytes, at) === 'fmt ' && size >= 16 && body + 16 <= bytes.length) {
      const isPlain = view.getUint16(body, true) === 1 && view.getUint16(body + 14, true) === 16;
      if (!isPlain || view.getUint16(body + 2, true) !== 1) throw refusal('it is not 16-bit mono');
      sampleRateHz = view.getUint32(body + 4, true);
    }
    if (readText(bytes, at) === 'data' && sampleRateHz > 0) {
      const pcm = new Int16Array(Math.floor(Math.min(size, bytes.length - body) / 2));
      for (let n = 0; n < pcm.length; n++) pcm[n] = view.getInt16(body + 2 * n, true);
      return { sampleRateHz, pcm };
    }
    at = body + size + (size % 2);
  }
  throw refusal('it holds no samples');
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let n = 0; n < text.length; n++) bytes[at + n] = text.charCodeAt(n);
}

function readText(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function refusal(reason: string): RangeError {
  return new RangeError(`Cannot read the sound: ${reason}`);
}
