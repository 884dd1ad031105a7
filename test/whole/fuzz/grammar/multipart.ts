import type { Random } from '../random.ts';

export interface PartNames {
  readonly file: readonly string[];
  readonly field: readonly string[];
}

/** Writes a request's `Content-Type`, a line break, and its body. */
export function multipart(random: Random, names: PartNames, isHonest: boolean): Buffer {
  const boundary =
    isHonest || random.happens(80)
      ? 'B0undary'
      : random.pick(['', 'a'.repeat(71), 'a b', '-', '--', '\r\n', '"']);
  const type =
    isHonest || random.happens(85)
      ? `multipart/form-data; boundary=${boundary}`
      : random.pick([
          'multipart/form-data',
          'multipart/mixed; boundary=B0undary',
          'application/json',
          'multipart/form-data; boundary="B0undary"; boundary=x',
        ]);
  const fields = Array.from({ length: random.count(isHonest ? 4 : 25) }, () =>
    part(random, names.field, isHonest, false),
  );
  const files = Array.from({ length: isHonest ? 1 : random.int(0, 2) }, () =>
    part(random, names.file, isHonest, true),
  );
  const parts = random.shuffled([...fields, ...files]);
  const dashes = `--${boundary}`;
  const end =
    isHonest || random.happens(80)
      ? `\r\n${dashes}--\r\n`
      : random.pick(['', `\r\n${dashes}`, `\r\n${dashes}-`, '\r\n']);
  const start = random.happens(5) ? Buffer.from('what stands before\r\n') : Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from(`${type}\n`),
    start,
    ...parts.flatMap((one, index) => [Buffer.from(`${index === 0 ? '' : '\r\n'}${dashes}\r\n`), one]),
    Buffer.from(end),
  ]);
}

/** Splits an input that `multipart` wrote into its `Content-Type` and its body. */
export function splitRequest(input: Buffer): { readonly contentType: string; readonly body: Buffer } {
  const end = input.indexOf('\n');
  return end < 0
    ? { contentType: '', body: input }
    : { contentType: input.toString('latin1', 0, end), body: input.subarray(end + 1) };
}

function part(random: Random, names: readonly string[], isHonest: boolean, isFile: boolean): Buffer {
  const name = random.pick(names);
  const lie = (percent: number): boolean => !isHonest && random.happens(percent);
  const fileName = isFile
    ? `; filename="${lie(15) ? random.pick(['', '../../etc/passwd', '\\"', 'a'.repeat(9_000), '%00', 'x\u0000.png']) : 'a.png'}"`
    : '';
  const disposition = lie(8)
    ? random.pick([
        'attachment',
        'form-data',
        '',
        'form-data; name',
        'form-data; name="a"; name="file"',
        `form-data; ${'name="x";'.repeat(500)}`,
      ])
    : `form-data; name="${name}"${fileName}`;
  const type = isFile
    ? [
        `Content-Type: ${lie(10) ? random.pick(['', 'image/png; a=b', '*/*', 'a'.repeat(9_000)]) : 'image/png'}`,
      ]
    : [];
  const more = lie(5)
    ? Array.from(
        { length: random.int(1, 60) },
        (_none, index) => `X-${index}: ${'y'.repeat(random.count(1_000))}`,
      )
    : [];
  const head = [`Content-Disposition: ${disposition}`, ...type, ...more].join('\r\n');
  const content = isFile
    ? random.bytes(random.int(isHonest ? 1 : 0, 1 + random.count(5_000)))
    : Buffer.from(random.pick(['{"content":"hello"}', '{}', '', 'x'.repeat(random.count(100_000))]));
  const gap = lie(3) ? random.pick(['\r\n', '\n\n', '', '\r\n\r']) : '\r\n\r\n';
  return Buffer.concat([Buffer.from(`${head}${gap}`), content]);
}
