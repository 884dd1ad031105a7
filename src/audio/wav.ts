/** Mono sound in 16-bit samples. */
interface MonoSound {
  readonly sampleRateHz: number;
  readonly pcm: Int16Array;
}

const HEADER_BYTES = 44;
const PCM = 1;
/** The maximum number of chunks to read. An ordinary file has far fewer. */
const CHUNKS_MAX = 1_000;

/** Returns the sound as a WAV file. */
export function writeWav({ sampleRateHz, pcm }: MonoSound): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + 2 * pcm.length);
  const view = new DataView(bytes.buffer);
  writeText(bytes, 0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  writeText(bytes, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
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

/**
 * Reads a WAV file of 16-bit samples. Several channels are mixed into one by taking their mean. Throws `RangeError` for
 * any other file.
 */
export function readWav(bytes: Uint8Array): MonoSound {
  if (readText(bytes, 0) !== 'RIFF' || readText(bytes, 8) !== 'WAVE') throw refusal('it is not a WAV file');
  const format = chunkOf(bytes, 'fmt ');
  const data = chunkOf(bytes, 'data');
  if (format.byteLength < 16 || format.getUint16(0, true) !== PCM || format.getUint16(14, true) !== 16) {
    throw refusal('it is not 16-bit PCM');
  }
  const channels = Math.max(1, format.getUint16(2, true));
  const pcm = new Int16Array(Math.floor(data.byteLength / 2 / channels));
  for (let n = 0; n < pcm.length; n++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++)
      sum += data.getInt16(2 * (n * channels + channel), true);
    pcm[n] = Math.round(sum / channels);
  }
  return { sampleRateHz: format.getUint32(4, true), pcm };
}

/**
 * Returns the content of the first chunk with this name. A chunk that claims to extend beyond the file is cut off at
 * the end of the file.
 */
function chunkOf(bytes: Uint8Array, name: string): DataView {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 12;
  for (let count = 0; at + 8 <= bytes.length && count < CHUNKS_MAX; count += 1) {
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (readText(bytes, at) === name) {
      return new DataView(bytes.buffer, bytes.byteOffset + body, Math.min(size, bytes.length - body));
    }
    at = body + size + (size % 2);
  }
  throw refusal(`it has no "${name.trim()}" part`);
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
