import { Patches } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { looksCompressed } from './hidden-stream.ts';

const HEAD_BYTES = 12;
const CHUNKS_MAX = 10_000;
const KEPT: ReadonlySet<string> = new Set(['fmt ', 'fact', 'data']);
const FORMAT_BYTES = 16;
const EXTENSIBLE = 0xfffe;
const SUBFORMAT_AT = 24;
/** The formats whose samples all have one size: PCM, floating point, A-law and mu-law. */
const EVEN_FORMATS: readonly number[] = [1, 3, 6, 7];

/**
 * A WAV keeps its sound; every other chunk (titles, cue names, dates, places) becomes `JUNK` of zeros. Its length is
 * that of its samples: the rate of bytes that it tells is for players' buffers, and nothing decodes by it.
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
    // Recorders that do not know the length yet write none, or the largest.
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
  if (!EVEN_FORMATS.includes(isExtensible ? format.readUInt16LE(SUBFORMAT_AT) : tag)) {
    throw unclearLength('sound', 'a WAV with compressed sound');
  }
  const frameBytes = format.readUInt16LE(2) * Math.ceil(format.readUInt16LE(14) / 8);
  if (frameBytes !== format.readUInt16LE(12)) {
    throw unclearLength('twice', 'a WAV whose samples have two sizes');
  }
  return format.readUInt32LE(4) * frameBytes;
}
