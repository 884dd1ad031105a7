import { ApiError } from '../chat/api-error.ts';
import type { Channel } from '../chat/guild.ts';
import { type MessageInput, createBody, editBody } from '../chat/message-body.ts';
import { type Message, hasFlag } from '../chat/message.ts';
import { createMessage, deleteMessage, editMessage } from '../chat/messages.ts';
import { messagePayload, messagePayloadFor } from '../chat/message-payload.ts';
import { demand, mayInChannel, visibleChannel } from './access.ts';
import { type Answer, type Call, type Route, bodyOf, caller, param } from './route.ts';

const LIMIT = { requests: 5, windowMs: 5000 };
/** How long a repeated nonce is recognised. Discord's documentation says "a few minutes". */
const NONCE_WINDOW_MS = 5 * 60_000;
const PAGE_MAX = 100;
const PAGE_DEFAULT = 50;

/** Returns the routes for channel messages, which need the bot's own token. */
export function messageRoutes(): Route[] {
  const list = '/channels/:channelId/messages';
  const one = `${list}/:messageId`;
  return [
    {
      method: 'GET',
      path: list,
      auth: 'bot',
      query: ['around', 'before', 'after', 'limit'],
      handle: listMessages,
    },
    { method: 'POST', path: list, auth: 'bot', limit: LIMIT, handle: create },
    { method: 'GET', path: one, auth: 'bot', handle: get },
    { method: 'PATCH', path: one, auth: 'bot', limit: LIMIT, handle: edit },
    { method: 'DELETE', path: one, auth: 'bot', limit: { requests: 5, windowMs: 1000 }, handle: remove },
  ];
}

function create(call: Call): Answer {
  const channel = visibleChannel(call);
  demand(call, channel, 'SEND_MESSAGES');
  if (channel.recipients.some((user) => !user.acceptsDirectMessages)) throw new ApiError('cannotSendToUser');
  const input = bodyOf(call, createBody);
  if (call.files.length > 0) demand(call, channel, 'ATTACH_FILES');
  if (input.embeds && input.embeds.length > 0) demand(call, channel, 'EMBED_LINKS');
  const repeated = findRepeat(call, channel, input);
  if (repeated) {
    if (repeated.deletedAtMs !== null) throw new ApiError('unknownMessage');
    return { status: 200, body: messagePayload(call.world, repeated) };
  }
  const replyToId = readReference(call, channel, input);
  const message = createMessage(call.world, channel, {
    author: caller(call).bot,
    input,
    files: call.files,
    ...(replyToId ? { replyToId } : {}),
  });
  return { status: 200, body: messagePayload(call.world, message) };
}

/** Finds a recent message that the same author created with the same enforced nonce. */
function findRepeat(call: Call, channel: Channel, input: MessageInput): Message | undefined {
  if (!input.enforce_nonce || input.nonce === null || input.nonce === undefined) return undefined;
  const sinceMs = call.world.clock.now() - NONCE_WINDOW_MS;
  return channel.messages.findLast(
    (message) =>
      message.author.id === caller(call).bot.id &&
      message.nonce !== null &&
      String(message.nonce) === String(input.nonce) &&
      message.createdAtMs > sinceMs,
  );
}

function readReference(call: Call, channel: Channel, input: MessageInput): string | undefined {
  const reference = input.message_reference;
  if (!reference) return undefined;
  demand(call, channel, 'READ_MESSAGE_HISTORY');
  const target = channel.messages.find((message) => message.id === reference.message_id);
  if (target && target.deletedAtMs === null) return target.id;
  if (reference.fail_if_not_exists ?? true) throw new ApiError('unknownMessage');
  return undefined;
}

function listMessages(call: Call): Answer {
  const channel = visibleChannel(call);
  const { before, after, around } = call.query;
  const limit = Math.min(Math.max(Number(call.query['limit'] ?? PAGE_DEFAULT) || 1, 1), PAGE_MAX);
  if (!mayInChannel(call, channel, 'READ_MESSAGE_HISTORY')) return { status: 200, body: [] };
  const readable = channel.messages.filter(
    (message) => message.deletedAtMs === null && !hasFlag(message, 'EPHEMERAL'),
  );
  const page = pageOf(readable, { before, after, around }, limit);
  const viewer = caller(call);
  return {
    status: 200,
    body: page.toReversed().map((message) => messagePayloadFor(call.world, message, viewer)),
  };
}

function pageOf(
  messages: readonly Message[],
  at: Readonly<Record<'before' | 'after' | 'around', string | undefined>>,
  limit: number,
): readonly Message[] {
  const { before, after, around } = at;
  if (before) return messages.filter((message) => BigInt(message.id) < BigInt(before)).slice(-limit);
  if (after) return messages.filter((message) => BigInt(message.id) > BigInt(after)).slice(0, limit);
  if (!around) return messages.slice(-limit);
  const index = messages.findIndex((message) => BigInt(message.id) >= BigInt(around));
  return messages.slice(Math.max(0, index - Math.floor(limit / 2))).slice(0, limit);
}

function get(call: Call): Answer {
  const channel = visibleChannel(call);
  demand(call, channel, 'READ_MESSAGE_HISTORY');
  return { status: 200, body: messagePayloadFor(call.world, findMessage(call, channel), caller(call)) };
}

function edit(call: Call): Answer {
  const channel = visibleChannel(call);
  const message = findMessage(call, channel);
  if (message.author.id !== caller(call).bot.id) throw new ApiError('notTheAuthor');
  const input = bodyOf(call, editBody);
  if (call.files.length > 0) demand(call, channel, 'ATTACH_FILES');
  editMessage(call.world, channel, message, input, call.files);
  return { status: 200, body: messagePayload(call.world, message) };
}

function remove(call: Call): Answer {
  const channel = visibleChannel(call);
  const message = findMessage(call, channel);
  if (message.author.id !== caller(call).bot.id) demand(call, channel, 'MANAGE_MESSAGES');
  deleteMessage(call.world, channel, message);
  return { status: 204 };
}

/** Ephemeral messages can only be accessed with interaction tokens. */
function findMessage(call: Call, channel: Channel): Message {
  const message = call.world.message(channel, param(call, 'messageId'));
  if (hasFlag(message, 'EPHEMERAL')) throw new ApiError('unknownMessage');
  return message;
}
