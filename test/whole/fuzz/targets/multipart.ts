import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { receiveFile } from '../../../../src/media-server/uploads/receive-file.ts';
import { ApiError as ServerError } from '../../../../src/media-server/wire/api-error.ts';
import { ApiError as ChatError } from '../../../../src/sandbox/chat/api-error.ts';
import { decodeBody } from '../../../../src/sandbox/rest/decode-body.ts';
import { multipart, splitRequest } from '../grammar/multipart.ts';
import { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const FILE_BYTES_MAX = 3_000;
const HONEST_PERCENT = 50;

/** Uploads to the media server, in pieces of any size. */
export const uploads: FuzzTarget = {
  name: 'uploads',
  generate: (random) =>
    multipart(
      random,
      { file: ['file', 'file', 'file', 'other'], field: ['a', 'b', 'file'] },
      random.happens(HONEST_PERCENT),
    ),
  async run(input, { path }) {
    const { contentType, body } = splitRequest(input);
    await rm(path, { force: true });
    const request = new IncomingMessage(new Socket());
    request.headers['content-type'] = contentType;
    const sending = send(request, body);
    try {
      const { sizeBytes } = await receiveFile(request, { path, sizeBytesMax: () => FILE_BYTES_MAX });
      const written = await readFile(path);
      demand(sizeBytes > 0 && sizeBytes <= FILE_BYTES_MAX, 'an upload is larger than the limit');
      demand(written.length === sizeBytes, 'the reported size is not that of the file');
      demand(body.includes(written), 'the written bytes were not sent');
      return 'accepted';
    } catch (error) {
      if (error instanceof ServerError) return 'refused';
      throw error;
    } finally {
      await sending;
      request.destroy();
    }
  },
};

/** The body of a message or of an interaction response, as sent to the sandbox. */
export const chatBodies: FuzzTarget = {
  name: 'chat-bodies',
  generate: (random) =>
    multipart(
      random,
      { file: ['files[0]', 'files[0]', 'files[1]', 'files[x]'], field: ['payload_json'] },
      random.happens(HONEST_PERCENT),
    ),
  async run(input) {
    const { contentType, body } = splitRequest(input);
    try {
      const { files } = await decodeBody(body, { 'content-type': contentType });
      demand(
        files.every(({ bytes }) => body.includes(Buffer.from(bytes))),
        'a file was not sent',
      );
      return 'accepted';
    } catch (error) {
      if (error instanceof ChatError) return 'refused';
      throw error;
    }
  },
};

/** Sends pieces whose sizes follow from the bytes alone; a long body has few pieces. */
async function send(request: IncomingMessage, body: Buffer): Promise<void> {
  const random = new Random(createHash('sha256').update(body).digest('hex'));
  const pieceMax = random.pick([1 + Math.ceil(body.length / 20), body.length + 1]);
  for (let at = 0; at < body.length;) {
    const next = at + random.int(1, pieceMax);
    request.push(body.subarray(at, next));
    at = next;
    if (random.happens(30)) await turn();
  }
  request.complete = true;
  request.push(null);
}
