const SAMPLE_BYTES = 2;

/**
 * Reads whole 16-bit samples from messages that may end in the middle of a sample. An odd byte waits for the next
 * message.
 */
export class SampleReader {
  #oddByte: Buffer = Buffer.alloc(0);

  /** Returns the bytes of all whole samples so far. Copies only if a byte was waiting. */
  read(message: Buffer): Buffer {
    const bytes = this.#oddByte.length === 0 ? message : Buffer.concat([this.#oddByte, message]);
    const whole = bytes.length - (bytes.length % SAMPLE_BYTES);
    this.#oddByte = Buffer.from(bytes.subarray(whole));
    return bytes.subarray(0, whole);
  }
}

/** Converts little-endian bytes to samples. Copies, because a message may start at an odd address. */
export function toSamples(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / SAMPLE_BYTES);
  for (let index = 0; index < samples.length; index++)
    samples[index] = bytes.readInt16LE(index * SAMPLE_BYTES);
  return samples;
}

/** Converts samples to little-endian bytes. */
export function toBytes(samples: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length * SAMPLE_BYTES);
  samples.forEach((sample, index) => bytes.writeInt16LE(sample, index * SAMPLE_BYTES));
  return bytes;
}
