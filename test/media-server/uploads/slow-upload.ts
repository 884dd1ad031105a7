import { type ClientRequest, request } from 'node:http';

/** A running upload. */
export interface Sender {
  readonly request: ClientRequest;
  /** The status, and the error code if the upload is refused. */
  readonly answer: Promise<[number | undefined, string | undefined]>;
  answered(): boolean;
  send(bytes: number): Promise<void>;
}

/** Starts an upload whose body is sent piece by piece, in chunked encoding. */
export function startUpload(baseUrl: string, key: string, type: string, preamble?: string): Sender {
  const outgoing = request(`${baseUrl}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=B' },
  });
  let answered = false;
  const answer = new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      answered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { error?: { code: string } };
        resolve([response.statusCode, body.error?.code]);
      });
    });
  });
  outgoing.write(
    preamble ??
      `--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: ${type}\r\n\r\n`,
  );
  return {
    request: outgoing,
    answer,
    answered: () => answered,
    async send(bytes) {
      for (let sent = 0; sent < bytes; sent += 65_536) {
        await new Promise<void>((resolve) => outgoing.write(Buffer.alloc(65_536, 7), () => resolve()));
      }
    },
  };
}
