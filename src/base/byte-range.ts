/** A part of a file, including both the first and the last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * Reads the `Range` header of a request for a file of `sizeBytes`. Returns the range, limited to the file, or
 * `unsatisfiable` if the file has no byte in that range. Returns `undefined` if the whole file must be sent, because
 * the header is missing or malformed or has several ranges (RFC 9110 allows this).
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
