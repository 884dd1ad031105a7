/** The content of a signature header: `t=<unix seconds>,v1=<hex>`, possibly with several `v1`. */
export interface SignatureHeader {
  /** The digits of `t` exactly as sent, because the signature covers them. */
  readonly timestamp: string;
  /** The `v1` signatures as sent, at least one. Any of them may match. */
  readonly signatures: readonly string[];
}

const LENGTH_MAX = 4096;
const SIGNATURES_MAX = 16;
const ELEMENT = /^\s*([A-Za-z0-9_-]+)\s*=\s*([^\s,=]*)\s*$/;

/**
 * Parses the header strictly: exactly one `t`, which consists of digits, and one to sixteen `v1`. Other schemes are
 * ignored, and whitespace is allowed around every part. Returns undefined for anything else.
 */
export function parseSignatureHeader(value: string): SignatureHeader | undefined {
  if (value.length > LENGTH_MAX) return undefined;
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const element of value.split(',')) {
    const [, scheme, text = ''] = ELEMENT.exec(element) ?? [];
    if (scheme === undefined) return undefined;
    if (scheme === 't') timestamps.push(text);
    if (scheme === 'v1') signatures.push(text);
  }
  const [timestamp = ''] = timestamps;
  const isValid = timestamps.length === 1 && /^\d{1,12}$/.test(timestamp);
  if (!isValid || signatures.length === 0 || signatures.length > SIGNATURES_MAX) return undefined;
  return { timestamp, signatures };
}
