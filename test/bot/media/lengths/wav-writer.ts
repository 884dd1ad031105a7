/** The header fields of a WAV file, which may be false. */
export interface WavOptions {
  readonly tag: number;
  readonly subformat?: number;
  readonly channels: number;
  readonly rateHz: number;
  readonly bits: number;
  readonly data: Uint8Array;
  /** If omitted, these fields get their true values. */
  readonly blockAlign?: number;
  readonly byteRate?: number;
  readonly validBits?: number;
  readonly dataBytes?: number;
  /** Further chunks before and after the sound, by type and length in bytes. */
  readonly front?: readonly (readonly [string, number])[];
  readonly behind?: readonly (readonly [string, number])[];
}

export function wav(options: WavOptions): Buffer {
  const { tag, channels, rateHz, bits, data, front = [], behind = [] } = options;
  const blockAlign = options.blockAlign ?? channels * Math.ceil(bits / 8);
  const format = Buffer.alloc(tag === 0xfffe ? 40 : 16);
  format.writeUInt16LE(tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt32LE(options.byteRate ?? rateHz * blockAlign, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bits, 14);
  if (tag === 0xfffe) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(options.validBits ?? bits, 18);
    format.writeUInt16LE(options.subformat ?? 1, 24);
    format.write('000000001000800000aa00389b71', 26, 'hex');
  }
  const chunks = [
    chunk('fmt ', format),
    ...front.map(([type, length]) => chunk(type, Buffer.alloc(length, 1))),
    chunk('data', data, options.dataBytes),
    ...behind.map(([type, length]) => chunk(type, Buffer.alloc(length, 1))),
  ];
  const inside = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return chunk('RIFF', inside);
}

function chunk(type: string, body: Uint8Array, length: number = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
