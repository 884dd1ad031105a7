import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

/** An element of a Matroska or WebM file, with its offsets in the file. */
export interface Element {
  readonly id: number;
  readonly start: number;
  readonly body: number;
  /** `undefined` if the element's size was not known when it was written, as in live recordings. */
  readonly end: number | undefined;
}

/** An element whose size is known. */
export type WholeElement = Element & { readonly end: number };

const VOID = 0xec;
const HEAD_BYTES_MAX = 12;
/** The size of one read: enough for the headers of many small elements, but not much for a single large element. */
const BATCH_BYTES = 4_096;
const SHORT_VOID_BYTES_MAX = 128;

/**
 * Returns the element at `at` and the elements after it, as far as one small read reaches. Returns at least one
 * element; none ends after `limit`. An element of unknown size is always the last one. Throws `MediaError` if an
 * element is damaged.
 */
export async function elementsFrom(source: MediaSource, at: number, limit: number): Promise<Element[]> {
  const bytes = await source.upTo(at, Math.min(BATCH_BYTES, limit - at));
  const found: Element[] = [];
  for (let from = 0; from < bytes.length;) {
    const isShown = from + HEAD_BYTES_MAX <= bytes.length || at + bytes.length === limit;
    if (!isShown && found.length > 0) break;
    const element = elementIn(bytes, from, at);
    if ((element.end ?? element.body) > limit) throw cutOff();
    found.push(element);
    from = element.end === undefined ? bytes.length : element.end - at;
  }
  if (found.length === 0) throw cutOff();
  await source.spend(found.length);
  return found;
}

/** Yields the elements from `from` to `to`. Throws `MediaError` if one is damaged or of unknown size. */
export async function* elementsIn(
  source: MediaSource,
  from: number,
  to: number,
): AsyncGenerator<WholeElement, void, undefined> {
  for (let at = from; at < to;) {
    for (const element of await elementsFrom(source, at, to)) {
      const { end } = element;
      if (end === undefined) throw damaged('an element of a clip does not state its size');
      yield { ...element, end };
      at = end;
    }
  }
}

function elementIn(bytes: Buffer, from: number, offset: number): Element {
  const idBytes = widthOf(bytes[from]);
  const sizeBytes = widthOf(bytes[from + idBytes]);
  if (idBytes > 4 || from + idBytes + sizeBytes > bytes.length) throw cutOff();
  const size = sizeAt(bytes, from + idBytes, sizeBytes);
  const body = offset + from + idBytes + sizeBytes;
  const end = size === undefined ? undefined : body + size;
  return { id: bytes.readUIntBE(from, idBytes), start: offset + from, body, end };
}

function cutOff(): Error {
  return damaged('an element of a clip is cut off');
}

/** Reads the unsigned integer in an element, from at most its first 8 bytes. Numbers above 2^53 are not exact. */
export async function readNumber(source: MediaSource, { body, end }: Element): Promise<number> {
  const bytes = await source.bytes(body, Math.min(8, (end ?? body) - body));
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Reads the floating-point number in an element of 4 or 8 bytes; returns 0 for any other length. */
export async function readFloat(source: MediaSource, { body, end }: Element): Promise<number> {
  const bytes = await source.bytes(body, Math.min(8, (end ?? body) - body));
  if (bytes.length === 4) return bytes.readFloatBE();
  return bytes.length === 8 ? bytes.readDoubleBE() : 0;
}

/** Reads the track number at the start of a block, and its width in bytes. */
export function trackNumber(head: Buffer): { readonly track: number; readonly width: number } {
  const width = widthOf(head[0]);
  const track = width > Math.min(8, head.length) ? undefined : sizeAt(head, 0, width);
  if (track === undefined) throw damaged('a block of a clip has no track');
  return { track, width };
}

/**
 * Records which elements a parent contains. Throws `MediaError` for a second element of a kind that may occur only
 * once, because some programs use the first one and others the last.
 */
export class OnlyOnce {
  readonly #seen = new Set<number>();
  readonly #single: readonly number[];

  constructor(single: readonly number[]) {
    this.#single = single;
  }

  see(id: number): void {
    if (!this.#single.includes(id)) return;
    if (this.#seen.has(id)) throw unclearLength('twice', 'a clip has two elements where one is allowed');
    this.#seen.add(id);
  }
}

/** Returns the header of a `Void` element that is `length` bytes long, including the header. */
export function voidHead(length: number): Buffer {
  if (length <= SHORT_VOID_BYTES_MAX) return Buffer.from([VOID, 0x80 | (length - 2)]);
  const head = Buffer.from([VOID, 0x01, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUIntBE(length - head.length, 3, 6);
  return head;
}

/**
 * Returns the length in bytes of the EBML number that starts with the byte `first`; 9 if no number can start with it.
 */
export function widthOf(first: number = 0): number {
  return first === 0 ? 9 : Math.clz32(first) - 23;
}

/** Returns the EBML number of `width` bytes at `at`, or `undefined` if it is the reserved value for "unknown". */
export function sizeAt(head: Buffer, at: number, width: number): number | undefined {
  if (width > 8) throw damaged('an element of a clip has no size');
  let value = (head[at] ?? 0) & (0xff >> width);
  let isUnknown = value === 0xff >> width;
  for (const byte of head.subarray(at + 1, at + width)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return isUnknown ? undefined : value;
}
