import type { FastifyReply, FastifyRequest } from 'fastify';
import { readByteRange } from '../../base/byte-range.ts';
import { z } from 'zod';
import { contentTypeByName } from '../chat/attachment.ts';
import { ApiError } from '../chat/api-error.ts';
import type { Channel } from '../chat/guild.ts';
import { deleteMessage } from '../chat/messages.ts';
import { hasFlag } from '../chat/message.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import type { User } from '../chat/user.ts';
import { commandsFor } from '../page/commands-for.ts';
import { stateView } from '../page/guild-view.ts';
import { maySee, messagesFor } from '../page/message-for.ts';
import type { PageMessages } from '../page/message-views.ts';
import type { PageState } from '../page/page-views.ts';
import type { PageCommand, PageUpload } from '../page/use-views.ts';
import type { PageWire } from '../page/wire-views.ts';
import { type ControlOptions, type ControlRoute, part } from './control-route.ts';

const id = z.string().regex(SNOWFLAKE);
const messagesQuery = z.strictObject({
  before: id.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
const uploadQuery = z.strictObject({ name: z.string().min(1).max(200) });
const deleteBody = z.strictObject({ channel_id: id, message_id: id });

/**
 * Returns the routes that serve the chat page. `page/page-wire.ts` describes them. The types of the data are in
 * `page/page-views.ts` and the files next to it.
 */
export function pageRoutesOf(options: ControlOptions): readonly ControlRoute[] {
  const control = new PageControl(options);
  const { page } = options;
  return [
    ['GET', '/users/:user/state', (request) => control.state(request)],
    ['GET', '/users/:user/channels/:channel/messages', (request) => control.messages(request)],
    ['GET', '/users/:user/channels/:channel/commands', (request) => control.commands(request)],
    ['POST', '/guilds/:guild/members/:member/deletes', (request) => control.deletes(request)],
    ['POST', '/uploads', (request) => control.upload(request)],
    ['GET', '/samples', () => page.samples.view],
    ['GET', '/samples/:name', (request, reply) => control.sample(request, reply)],
    ['GET', '/faults', () => page.faultButtons.views],
    ['GET', '/wire', (): PageWire => ({ entries: page.wireLog.entries, action: page.wireLog.action })],
    ['DELETE', '/wire', () => control.clearWire()],
  ];
}

class PageControl {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  state(request: FastifyRequest): PageState {
    return stateView(this.#options.page.source, this.#user(request));
  }

  messages(request: FastifyRequest): PageMessages {
    const query = messagesQuery.parse(request.query);
    const user = this.#user(request);
    return messagesFor(this.#options.world, this.#channel(request, user), user, query);
  }

  commands(request: FastifyRequest): readonly PageCommand[] {
    const user = this.#user(request);
    return commandsFor(this.#options.world, this.#channel(request, user), user);
  }

  deletes(request: FastifyRequest): { id: string } {
    const { world } = this.#options;
    const { channel_id: channelId, message_id: messageId } = deleteBody.parse(request.body);
    const guild = world.guild(part(request, 'guild'));
    const member = world.member(guild, part(request, 'member'));
    const channel = world.channel(channelId);
    if (!maySee(world, channel, member.user)) throw new ApiError('unknownChannel');
    const message = world.message(channel, messageId);
    const isModerator = allows(permissionsOf(guild, member, channel), 'MANAGE_MESSAGES');
    if (channel.guildId !== guild.id || hasFlag(message, 'EPHEMERAL')) throw new ApiError('unknownMessage');
    if (message.author !== member.user && !isModerator) throw new ApiError('missingPermissions');
    deleteMessage(world, channel, message);
    return { id: message.id };
  }

  upload(request: FastifyRequest): PageUpload {
    const { name } = uploadQuery.parse(request.query);
    if (!Buffer.isBuffer(request.body) || request.body.byteLength === 0) {
      throw new Error('Cannot accept the file: its type must be application/octet-stream');
    }
    return this.#options.page.uploads.keep(name, Uint8Array.from(request.body));
  }

  sample(request: FastifyRequest, reply: FastifyReply): Buffer | undefined {
    const { name, bytes } = this.#options.page.samples.open(part(request, 'name'));
    const range = readByteRange(request.headers.range, bytes.byteLength);
    if (range === 'unsatisfiable') {
      reply.code(416).header('content-range', `bytes */${bytes.byteLength}`);
      return undefined;
    }
    reply
      .code(range ? 206 : 200)
      .type(contentTypeByName(name))
      .header('accept-ranges', 'bytes')
      .header('x-content-type-options', 'nosniff');
    if (!range) return Buffer.from(bytes);
    reply.header('content-range', `bytes ${range.first}-${range.last}/${bytes.byteLength}`);
    return Buffer.from(bytes.subarray(range.first, range.last + 1));
  }

  clearWire(): { entries: readonly [] } {
    this.#options.page.wireLog.clear();
    return { entries: [] };
  }

  #user(request: FastifyRequest): User {
    const user = this.#options.world.users.get(part(request, 'user'));
    if (!user || user.bot) throw new ApiError('unknownUser');
    return user;
  }

  #channel(request: FastifyRequest, user: User): Channel {
    const channel = this.#options.world.channel(part(request, 'channel'));
    if (!maySee(this.#options.world, channel, user)) throw new ApiError('unknownChannel');
    return channel;
  }
}
