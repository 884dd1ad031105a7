import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readByteRange } from '../../base/byte-range.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { linkWorks } from '../chat/attachment.ts';
import { findAvatar } from '../chat/avatars.ts';
import type { World } from '../chat/world.ts';
import type { CdnFault, FaultPlan } from '../fault-plan.ts';

interface CdnOptions {
  readonly world: World;
  readonly faults: FaultPlan;
  readonly wireClock: Clock;
}

/** Serves the files of messages and command options by their signed links, complete or as one byte range. */
export function registerCdn(app: FastifyInstance, options: CdnOptions): void {
  for (const path of ['/attachments/:owner/:id/:name', '/ephemeral-attachments/:owner/:id/:name']) {
    app.get(path, (request, reply) => serveFile(options, request, reply));
  }
  for (const path of ['/avatars/:user/:name', '/guilds/:guild/users/:user/avatars/:name']) {
    app.get(path, (request, reply) => serveAvatar(options, request, reply));
  }
}

interface AvatarPath {
  readonly user: string;
  readonly guild?: string;
  readonly name: string;
}

/** Serves an avatar, which needs no signature. Unlike Discord's CDN, this CDN neither scales nor converts avatars. */
function serveAvatar({ world }: CdnOptions, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { user, guild, name } = request.params as AvatarPath;
  const where = guild === undefined ? {} : { guildId: guild };
  const avatar = findAvatar(world, { userId: user, ...where, hash: name.replace(/\.png$/, '') });
  if (!avatar) return reply.code(404).type('text/plain;charset=UTF-8').send('');
  return reply.type('image/png').send(Buffer.from(avatar.bytes));
}

async function serveFile(
  { world, faults, wireClock }: CdnOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fault = faults.takeCdn();
  if (fault?.delayMs) await sleep(wireClock, fault.delayMs);
  const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '');
  const file = world.files.get(path);
  const works = linkWorks(world.linkSecret, path, request.query as Record<string, string>, world.clock.now());
  if (!file || !works || fault?.status) {
    return reply
      .code(fault?.status ?? 404)
      .type('text/plain;charset=UTF-8')
      .send('This content is no longer available.');
  }
  const range = readByteRange(request.headers.range, file.bytes.byteLength);
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.bytes.byteLength}`).send();
  }
  const bytes = range ? file.bytes.subarray(range.first, range.last + 1) : file.bytes;
  reply
    .code(range ? 206 : 200)
    .header('content-type', fault?.contentType ?? file.contentType)
    .header('content-length', bytes.byteLength)
    .header('accept-ranges', 'bytes')
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'public, max-age=31536000')
    .header('content-disposition', `attachment; filename="${file.filename}"`);
  if (range) reply.header('content-range', `bytes ${range.first}-${range.last}/${file.bytes.byteLength}`);
  const isWhole = fault?.cutAfterBytes === undefined && fault?.bytesPerSecond === undefined;
  return reply.send(isWhole ? Buffer.from(bytes) : Readable.from(faultyBytes(bytes, fault, wireClock)));
}

const TRICKLES_PER_SECOND = 20;

/** Sends a file slowly, or sends only its beginning and then cuts the connection. */
async function* faultyBytes(bytes: Uint8Array, fault: CdnFault, clock: Clock): AsyncGenerator<Buffer> {
  const end = Math.min(fault.cutAfterBytes ?? bytes.byteLength, bytes.byteLength);
  const step = Math.max(
    1,
    Math.ceil((fault.bytesPerSecond ?? end * TRICKLES_PER_SECOND) / TRICKLES_PER_SECOND),
  );
  for (let at = 0; at < end; at += step) {
    if (fault.bytesPerSecond !== undefined) await sleep(clock, 1000 / TRICKLES_PER_SECOND);
    yield Buffer.from(bytes.subarray(at, Math.min(at + step, end)));
  }
  if (fault.cutAfterBytes !== undefined)
    throw new Error('Cannot send the rest: an injected fault cut the connection');
}
