import type { Patch } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

const HEAD_BYTES = 12;
const CHUNKS_MAX = 10_000;
const KEPT: ReadonlySet<string> = new Set(['fmt ', 'fact', 'data']);

/** A WAV keeps its sound; every other chunk (titles, cue names, dates, places) becomes `JUNK` of zeros. */
export async function examineWav(source: MediaSource): Promise<Examined> {
  const patches: Patch[] = [];
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
    if (type === 'fmt ') bytesPerSecond = (await source.bytes(at + 8, 16)).readUInt32LE(8);
    else if (type === 'data') dataBytes += length;
    if (!KEPT.has(type)) patches.push({ at, bytes: Buffer.from('JUNK') }, { at: at + 8, zeros: length });
    at += 8 + length + (length % 2);
  }
  if (bytesPerSecond === 0 || dataBytes === 0) throw damaged('a WAV without sound');
  return recordingOf({ how: 'patch', patches }, dataBytes / bytesPerSecond);
}
