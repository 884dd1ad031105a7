/** What a WAV file holds: 16-bit samples of one channel. */
interface WavSound {
  readonly samples: Int16Array;
  readonly sampleRateHz: number;
}

const HEADER_BYTES = 44;
const PCM = 1;
/** The most chunks to read. Further chunks of a file say nothing about its sound. */
const CHUNKS_MAX = 1_000;

/** Reads 16-bit PCM; several channels become one by their mean. Throws for anything else. */
export function readWav(bytes: Buffer): WavSound {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('Cannot read the sound: it is no WAV file');
  }
  const format = chunk(bytes, 'fmt ');
  const data = chunk(bytes, 'data');
  if (format.byteLength < 16 || format.readUInt16LE(0) !== PCM || format.readUInt16LE(14) !== 16) {
    throw new Error('Cannot read the sound: it is not 16-bit PCM');
  }
  const channels = Math.max(1, format.readUInt16LE(2));
  const samples = new Int16Array(Math.floor(data.byteLength / 2 / channels));
  for (let index = 0; index < samples.length; index++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) {
      sum += data.readInt16LE(2 * (index * channels + channel));
    }
    samples[index] = Math.round(sum / channels);
  }
  return { samples, sampleRateHz: format.readUInt32LE(4) };
}

/** A WAV file of one channel of 16-bit samples. */
export function writeWav({ samples, sampleRateHz }: WavSound): Buffer {
  const file = Buffer.alloc(HEADER_BYTES + 2 * samples.length);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.byteLength - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(2 * sampleRateHz, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(2 * samples.length, 40);
  for (let index = 0; index < samples.length; index++) {
    file.writeInt16LE(samples[index] ?? 0, HEADER_BYTES + 2 * index);
  }
  return file;
}

/** The content of the first chunk with this name; cut off where the file ends. */
function chunk(bytes: Buffer, name: string): Buffer {
  let at = 12;
  for (let count = 0; at + 8 <= bytes.byteLength && count < CHUNKS_MAX; count += 1) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === name) return bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size + (size & 1);
  }
  throw new Error(`Cannot read the sound: it has no "${name.trim()}" part`);
}
