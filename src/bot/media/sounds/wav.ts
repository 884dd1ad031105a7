import { Patches } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { looksCompressed } from './looks-compressed.ts';

const HEAD_BYTES = 12;
const CHUNKS_MAX = 10_000;
const KEPT: ReadonlySet<string> = new Set(['fmt ', 'fact', 'data']);
const FORMAT_BYTES = 16;
const EXTENSIBLE = 0xfffe;
const SUBFORMAT_AT = 24;
const VALID_BITS_AT = 18;
/**
 * The formats with samples of a fixed size, and the possible sample sizes in bytes: PCM, floating point, A-law and
 * mu-law.
 */
const EVEN_FORMATS: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [1, 2, 3, 4]],
  [3, [4, 8]],
  [6, [1]],
  [7, [1]],
]);

/**
 * Examines a WAV file. The clean file keeps its sound; every other chunk (titles, cue names, dates, places) becomes a
 * `JUNK` chunk of zeros. The duration is that of the samples. The stated byte rate is only a hint for players' buffers,
 * and no program uses it for decoding.
 */
export async function examineWav(source: MediaSource): Promise<Examined> {
  const patches = new Patches();
  let bytesPerSecond = 0;
  let dataBytes = 0;
  let chunks = 0;
  for (let at = HEAD_BYTES; at + 8 <= source.sizeBytes; chunks += 1) {
    if (chunks === CHUNKS_MAX) throw damaged('a WAV has too many chunks');
    const head = await source.bytes(at, 8);
    const type = head.toString('latin1', 0, 4);
    const left = source.sizeBytes - at - 8;
    // Recorders that do not know the sound's length yet write 0 or the largest possible number.
    const length = type === 'data' ? Math.min(left, head.readUInt32LE(4) || left) : head.readUInt32LE(4);
    if (length > left) throw damaged('a WAV ends too early');
    if (type === 'fmt ') {
      if (bytesPerSecond > 0) throw unclearLength('twice', 'a WAV has two formats');
      bytesPerSecond = bytesPerSecondOf(await source.bytes(at + 8, Math.min(length, SUBFORMAT_AT + 2)));
    } else if (type === 'data') {
      dataBytes += length;
      if (await looksCompressed(source, { from: at + 8, to: at + 8 + length })) {
        throw unclearLength('sound', 'a WAV with compressed sound');
      }
    }
    if (!KEPT.has(type)) {
      patches.write(at, Buffer.from('JUNK'));
      patches.zero(at + 8, length);
    }
    at += 8 + length + (length % 2);
  }
  if (bytesPerSecond === 0 || dataBytes === 0) throw damaged('a WAV without sound');
  return recordingOf({ how: 'patch', patches: patches.all }, dataBytes / bytesPerSecond);
}

function bytesPerSecondOf(format: Buffer): number {
  if (format.length < FORMAT_BYTES) throw damaged('a WAV has no format');
  const tag = format.readUInt16LE(0);
  const isExtensible = tag === EXTENSIBLE && format.length >= SUBFORMAT_AT + 2;
  const sizes = EVEN_FORMATS.get(isExtensible ? format.readUInt16LE(SUBFORMAT_AT) : tag);
  if (!sizes) throw unclearLength('sound', 'a WAV with compressed sound');
  const sampleBytes = Math.ceil(format.readUInt16LE(14) / 8);
  // The extensible format states two numbers of bits: the size of a sample, and the bits in use.
  const used = (isExtensible && format.readUInt16LE(VALID_BITS_AT)) || sampleBytes * 8;
  const frameBytes = format.readUInt16LE(2) * sampleBytes;
  const agrees = Math.ceil(used / 8) === sampleBytes && frameBytes === format.readUInt16LE(12);
  if (!sizes.includes(sampleBytes) || !agrees) {
    throw unclearLength('twice', 'a WAV whose samples have two sizes');
  }
  return format.readUInt32LE(4) * frameBytes;
}
