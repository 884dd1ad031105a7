import { z } from 'zod';
import { modalBody } from '../chat/component-body.ts';
import type { Interaction } from '../chat/interaction.ts';
import {
  type Callback,
  acknowledge,
  followUp,
  interactionMessage,
  interactionOfToken,
  openInteraction,
} from '../chat/interactions.ts';
import { editBody, replyBody } from '../chat/message-body.ts';
import { MESSAGE_FLAGS, type Message, hasFlag } from '../chat/message.ts';
import { deleteMessage, editMessage } from '../chat/messages.ts';
import type { Payload } from '../chat/payload.ts';
import { messagePayload } from '../chat/message-payload.ts';
import { refuseField } from '../chat/api-error.ts';
import { type Answer, type Call, type Route, bodyOf, param } from './route.ts';

const WEBHOOK_LIMIT = { requests: 5, windowMs: 2000 };
const CHOICES_MAX = 25;

const choice = z.strictObject({
  name: z.string().min(1).max(100),
  name_localizations: z.record(z.string(), z.string()).nullish(),
  value: z.union([z.string().max(100), z.number()]),
});
const envelope = z.strictObject({ type: z.int(), data: z.unknown().optional() });
const deferral = z.strictObject({ flags: z.int().nullish() }).nullish();

/**
 * Returns the routes for first responses to interactions, and the webhook routes for later replies and edits, whose
 * paths contain the interaction's token.
 */
export function interactionRoutes(): Route[] {
  const webhook = '/webhooks/:applicationId/:token';
  const message = `${webhook}/messages/:messageId`;
  const shared = { auth: 'none', limit: WEBHOOK_LIMIT } as const;
  const query = ['thread_id', 'with_components'];
  return [
    {
      method: 'POST',
      path: '/interactions/:interactionId/:token/callback',
      auth: 'none',
      limit: 'unlimited',
      query: ['with_response'],
      handle: callback,
    },
    { ...shared, method: 'POST', path: webhook, query: [...query, 'wait'], handle: post },
    { ...shared, method: 'GET', path: message, query: ['thread_id'], handle: get },
    { ...shared, method: 'PATCH', path: message, query, handle: edit },
    { ...shared, method: 'DELETE', path: message, query: ['thread_id'], handle: remove },
  ];
}

function callback(call: Call): Answer {
  const interaction = openInteraction(call.world, param(call, 'interactionId'), param(call, 'token'));
  const first = readCallback(call);
  const message = acknowledge(call.world, interaction, first, call.files);
  if (call.query['with_response'] !== 'true') return { status: 204 };
  return { status: 200, body: callbackPayload(call, interaction, first.type, message) };
}

function readCallback(call: Call): Callback {
  const { type, data } = bodyOf(call, envelope);
  const inner: Call = { ...call, body: data };
  switch (type) {
    case 4:
      return { type, data: bodyOf(inner, replyBody) };
    case 5:
      return { type, flags: readDeferralFlags(inner) };
    case 6:
      return { type };
    case 7:
      return { type, data: bodyOf(inner, editBody) };
    case 8:
      return { type, choices: bodyOf(inner, z.strictObject({ choices: choiceList })).choices };
    case 9:
      return { type, modal: bodyOf(inner, modalBody) };
    default:
      return refuseField('type', 'BASE_TYPE_CHOICES', 'Not a callback type that the sandbox knows');
  }
}

const choiceList = z.array(choice).max(CHOICES_MAX);

/** Only EPHEMERAL has an effect on a deferred reply. */
function readDeferralFlags(call: Call): number {
  const flags = bodyOf(call, deferral)?.flags ?? 0;
  const others = flags & ~MESSAGE_FLAGS.EPHEMERAL;
  if (others !== 0) {
    call.world.violations.record('broken_rule', call.what, `flags ${others} on a deferred reply`);
  }
  return flags & MESSAGE_FLAGS.EPHEMERAL;
}

function callbackPayload(
  call: Call,
  interaction: Interaction,
  type: number,
  message: Message | null,
): Payload {
  const withMessage = message && type !== 9 && type !== 8;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      channel_id: interaction.channel.id,
      ...(interaction.guild ? { guild_id: interaction.guild.id } : {}),
      ...(withMessage
        ? {
            response_message_id: message.id,
            response_message_loading: hasFlag(message, 'LOADING'),
            response_message_ephemeral: hasFlag(message, 'EPHEMERAL'),
          }
        : {}),
    },
    ...(withMessage ? { resource: { type, message: messagePayload(call.world, message) } } : {}),
  };
}

function webhookOf(call: Call): Interaction {
  return interactionOfToken(call.world, param(call, 'applicationId'), param(call, 'token'));
}

function post(call: Call): Answer {
  const interaction = webhookOf(call);
  const message = followUp(call.world, interaction, bodyOf(call, replyBody), call.files);
  if (call.query['wait'] === 'false') return { status: 204 };
  return { status: 200, body: messagePayload(call.world, message) };
}

function get(call: Call): Answer {
  const message = interactionMessage(webhookOf(call), param(call, 'messageId'));
  return { status: 200, body: messagePayload(call.world, message) };
}

function edit(call: Call): Answer {
  const interaction = webhookOf(call);
  const message = interactionMessage(interaction, param(call, 'messageId'));
  editMessage(call.world, interaction.channel, message, bodyOf(call, editBody), call.files);
  return { status: 200, body: messagePayload(call.world, message) };
}

function remove(call: Call): Answer {
  const interaction = webhookOf(call);
  const message = interactionMessage(interaction, param(call, 'messageId'));
  deleteMessage(call.world, interaction.channel, message);
  return { status: 204 };
}
