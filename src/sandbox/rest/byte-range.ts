/** The part of a file that a `Range` header asks for, both ends included; undefined: all of it. */
export function byteRange(
  header: string | undefined,
  sizeBytes: number,
): { readonly from: number; readonly to: number } | undefined {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (!match) return undefined;
  const from = Number(match[1]);
  const to = Math.min(match[2] ? Number(match[2]) : sizeBytes - 1, sizeBytes - 1);
  return from <= to ? { from, to } : undefined;
}
