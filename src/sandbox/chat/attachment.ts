import { equalHex, hmacHex } from '../../base/signing.ts';

/** A file as it was uploaded. */
export interface Upload {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A file on the CDN. */
export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description: string | null;
  readonly title: string | null;
  /** Whether the file was uploaded with a command option or an ephemeral message. */
  readonly ephemeral: boolean;
  readonly width: number | null;
  readonly height: number | null;
  /** The path on the CDN host, with a leading slash. */
  readonly path: string;
}

/** The lifetime of a signed link: one day. */
const LINK_LIFETIME_SECONDS = 86_400;

/** Returns the query `?ex=…&is=…&hm=…` that makes a CDN path valid for a day from `nowMs`. */
export function signPath(secret: string, path: string, nowMs: number): string {
  const issued = Math.floor(nowMs / 1000).toString(16);
  const expires = (Math.floor(nowMs / 1000) + LINK_LIFETIME_SECONDS).toString(16);
  return `?ex=${expires}&is=${issued}&hm=${signature(secret, path, expires, issued)}&`;
}

/** Whether a CDN link is signed for this path and has not expired. */
export function linkWorks(
  secret: string,
  path: string,
  query: { readonly ex?: string; readonly is?: string; readonly hm?: string },
  nowMs: number,
): boolean {
  const { ex, is, hm } = query;
  if (!ex || !is || !hm || !/^[0-9a-f]{1,12}$/.test(ex)) return false;
  return equalHex(signature(secret, path, ex, is), hm) && nowMs < Number.parseInt(ex, 16) * 1000;
}

function signature(secret: string, path: string, expires: string, issued: string): string {
  return hmacHex(secret, `${path}\n${expires}\n${issued}`);
}

/** Returns the name that Discord gives a file on the CDN, derived from the original name. */
export function cdnFileName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const kept = base.replace(/\s+/g, '_').replace(/[^A-Za-z0-9._-]/g, '');
  return kept === '' || /^\.+$/.test(kept) ? 'unknown' : kept;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/x-wav',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** Returns the content type that Discord derives from a file's name alone. */
export function contentTypeByName(name: string): string {
  return CONTENT_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}
