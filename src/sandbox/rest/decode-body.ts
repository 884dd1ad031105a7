import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../chat/api-error.ts';
import { type Upload, contentTypeByName } from '../chat/attachment.ts';

/** The JSON and the files of a request. */
export interface DecodedBody {
  readonly json: unknown;
  readonly files: readonly Upload[];
}

/** Decodes JSON, or multipart with `payload_json` and files. Throws `ApiError` if the body is neither. */
export async function decodeBody(raw: Buffer, headers: IncomingHttpHeaders): Promise<DecodedBody> {
  const type = headers['content-type'] ?? '';
  if (raw.byteLength === 0) return { json: undefined, files: [] };
  if (type.startsWith('application/json')) return { json: parseJson(raw.toString('utf8')), files: [] };
  if (!type.startsWith('multipart/form-data')) throw new ApiError('invalidForm');
  const form = await readForm(raw, type);
  const files: { index: number; upload: Upload }[] = [];
  let json: unknown = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      if (name !== 'payload_json') throw new ApiError('invalidForm');
      json = parseJson(value);
      continue;
    }
    const index = /^files\[(\d)\]$/.exec(name)?.[1];
    if (index === undefined) throw new ApiError('invalidForm');
    const bytes = new Uint8Array(await value.arrayBuffer());
    const contentType = value.type || contentTypeByName(value.name);
    files.push({ index: Number(index), upload: { name: value.name, contentType, bytes } });
  }
  files.sort((a, b) => a.index - b.index);
  if (files.some((file, at) => file.index !== at)) throw new ApiError('invalidForm');
  return { json, files: files.map((file) => file.upload) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalidJson');
  }
}

async function readForm(raw: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new ApiError('invalidForm');
  }
}
