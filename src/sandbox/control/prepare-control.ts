import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { ApiError } from '../chat/api-error.ts';
import { REQUEST_SIZE_BYTES_MAX } from '../chat/file-limits.ts';
import type { World } from '../chat/world.ts';
import type { ChatPage } from '../page/chat-page.ts';
import { fileLinksAt } from '../page/file-links.ts';
import type { FileInput } from '../script/resolved-data.ts';
import { openFiles } from './chosen-file.ts';
import type { ControlOptions } from './control-route.ts';

const BODY_SIZE_BYTES_MAX = 512 * 1024 * 1024;
/**
 * The size limit for requests from the page. It can be low, because the page uploads files separately.
 */
const PAGE_BODY_SIZE_BYTES_MAX = 40 * 1024 * 1024;

/**
 * Adds the handling that all routes of the control API share: it checks who may call them, parses bodies and file
 * references, adapts links to files, returns errors, and notes members' actions for the wire panel.
 */
export function prepareControl(app: FastifyInstance, { world, page, guard }: ControlOptions): void {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: guard.isOpen ? PAGE_BODY_SIZE_BYTES_MAX : BODY_SIZE_BYTES_MAX },
    app.getDefaultJsonParser('error', 'error'),
  );
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: REQUEST_SIZE_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
  app.addHook('onRequest', async (request, reply) => {
    const refusal = guard.refusal(request.raw);
    if (refusal !== undefined) return reply.code(403).send({ error: refusal });
    const isLarge = Number(request.headers['content-length'] ?? 0) > PAGE_BODY_SIZE_BYTES_MAX;
    if (isLarge && request.headers.origin !== undefined) return reply.code(413).send({ error: 'Too large' });
    return undefined;
  });
  app.addHook('preHandler', async (request) => {
    if (!Buffer.isBuffer(request.body))
      request.body = openFiles(request.body, fileSourcesFor(request, world, page));
    noteAction(request, world, page);
  });
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? fileLinksAt(guard.origin, world.cdnBase, payload) : payload,
  );
  app.setErrorHandler((error, _request, reply) => {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    return reply.code(statusOf(error)).send({ error: message });
  });
}

function statusOf(error: unknown): number {
  if (error instanceof ApiError) return error.refusal.status;
  return systemErrorCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 413 : 400;
}

/**
 * Returns functions that open the files of a request. A file must be within the guild's limit, as in Discord's client.
 */
function fileSourcesFor(
  request: FastifyRequest,
  world: World,
  page: ChatPage,
): Parameters<typeof openFiles>[1] {
  const { guild: guildId = '' } = request.params as { readonly guild?: string };
  const sizeBytesMax = world.guilds.get(guildId)?.attachmentSizeLimitBytes ?? Infinity;
  const fitting = (file: FileInput): FileInput => {
    if (file.bytes.byteLength > sizeBytesMax) throw new ApiError('entityTooLarge');
    return file;
  };
  return {
    upload: (id) => fitting(page.uploads.open(id)),
    sample: (name) => fitting(page.samples.open(name)),
  };
}

const ACTIONS: Readonly<Record<string, string>> = {
  runs: 'runs',
  'runs-on': 'runs',
  presses: 'presses a button',
  selects: 'selects',
  submits: 'submits a form',
  says: 'says something',
  deletes: 'deletes a message',
  'voice/joins': 'joins a call',
  'voice/leaves': 'leaves a call',
  'voice/speaks': 'speaks',
};

function noteAction(request: FastifyRequest, world: World, page: ChatPage): void {
  const [, tail = ''] = (request.routeOptions.url ?? '').split('/members/:member/', 2);
  const action = ACTIONS[tail];
  if (action === undefined) return;
  const { member = '' } = request.params as { readonly member?: string };
  const body = (request.body ?? {}) as { readonly command?: unknown; readonly name?: unknown };
  const named = body.command ?? body.name;
  const what = typeof named === 'string' ? `${action} ${named}` : action;
  page.wireLog.begin(what, { user: world.users.get(member)?.username ?? '' });
}
