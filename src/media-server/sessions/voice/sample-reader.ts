const SAMPLE_BYTES = 2;

/** Reads whole 16-bit samples from messages that may break anywhere: an odd byte waits for its other half. */
export class SampleReader {
  #oddByte: Buffer = Buffer.alloc(0);

  /** The bytes of the whole samples that are there now, without a copy where none is needed. */
  read(message: Buffer): Buffer {
    const bytes = this.#oddByte.length === 0 ? message : Buffer.concat([this.#oddByte, message]);
    const whole = bytes.length - (bytes.length % SAMPLE_BYTES);
    this.#oddByte = Buffer.from(bytes.subarray(whole));
    return bytes.subarray(0, whole);
  }
}

/** Little-endian bytes as samples, copied: a message need not begin at an even address. */
export function toSamples(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / SAMPLE_BYTES);
  for (let index = 0; index < samples.length; index++)
    samples[index] = bytes.readInt16LE(index * SAMPLE_BYTES);
  return samples;
}

/** Samples as little-endian bytes. */
export function toBytes(samples: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length * SAMPLE_BYTES);
  samples.forEach((sample, index) => bytes.writeInt16LE(sample, index * SAMPLE_BYTES));
  return bytes;
}
