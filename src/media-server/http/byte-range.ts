/** A part of a file, first and last byte included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * What a `Range` header asks of a file of `sizeBytes`: one range cut to the file, `unsatisfiable` when it begins
 * behind the end, and undefined for the whole file: no header, one that is malformed, or several ranges (RFC 9110
 * lets a server answer these with everything).
 */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = ONE_RANGE.exec(header ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (!match || (from === '' && to === '')) return undefined;
  if (from === '') return lastBytes(Number(to), sizeBytes);
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first >= sizeBytes) return 'unsatisfiable';
  return { first, last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
}
