import { randomId } from '../../base/ids.ts';
import { ApiError, refuseField } from './api-error.ts';
import type { Upload } from './attachment.ts';
import type { ModalBody } from './component-body.ts';
import type { Channel, Guild, Member } from './guild.ts';
import { interactionPayload } from './interaction-payload.ts';
import {
  ACKNOWLEDGE_MS_MAX,
  CALLBACK_TYPES,
  INTERACTION_TYPES,
  type Interaction,
  TOKEN_LIFETIME_MS,
} from './interaction.ts';
import type { MessageInput } from './message-body.ts';
import { MESSAGE_FLAGS, type Message, type MessageOrigin } from './message.ts';
import { createMessage, editMessage } from './messages.ts';
import type { Payload } from './payload.ts';
import type { Application, User } from './user.ts';
import type { World } from './world.ts';

/** The maximum number of interactions that are kept. Older ones are deleted, and their tokens become unknown. */
const INTERACTIONS_MAX = 5000;

/** The data for a new interaction. */
interface NewInteraction {
  readonly type: number;
  readonly application: Application;
  readonly guild: Guild | null;
  readonly channel: Channel;
  readonly user: User;
  readonly member: Member | null;
  readonly data: Payload;
  readonly commandName?: string;
  readonly source?: Message;
  readonly opener?: Interaction;
}

/** Creates an interaction, sends it to its bot and starts the time limit of 3 seconds. */
export function startInteraction(world: World, start: NewInteraction): Interaction {
  const interaction: Interaction = {
    id: world.ids.next(),
    token: randomId('interaction'),
    type: start.type,
    application: start.application,
    guild: start.guild,
    channel: start.channel,
    user: start.user,
    member: start.member,
    createdAtMs: world.clock.now(),
    data: start.data,
    commandName: start.commandName ?? null,
    source: start.source ?? null,
    opener: start.opener ?? null,
    state: { is: 'waiting' },
    original: null,
    followUps: [],
    choices: null,
    modal: null,
  };
  world.interactions.set(interaction.id, interaction);
  world.interactionsByToken.set(interaction.token, interaction);
  forgetOldInteractions(world);
  world.after(ACKNOWLEDGE_MS_MAX, () => expire(world, interaction));
  world.touch({ is: 'interaction', interaction });
  dispatchInteraction(world, interaction);
  return interaction;
}

function forgetOldInteractions(world: World): void {
  for (const [id, { token }] of world.interactions) {
    if (world.interactions.size <= INTERACTIONS_MAX) return;
    world.interactions.delete(id);
    world.interactionsByToken.delete(token);
  }
}

/** Sends an interaction to its bot. The same interaction may be sent more than once. */
export function dispatchInteraction(world: World, interaction: Interaction): void {
  const { application, guild } = interaction;
  // A bot outside of a guild has no shard for that guild, so the event is sent without a guild.
  const isKnown = guild?.members.has(application.bot.id) ?? false;
  world.emit({
    event: 'INTERACTION_CREATE',
    intents: 0,
    applicationId: application.id,
    ...(guild && isKnown ? { guildId: guild.id } : {}),
    data: () => interactionPayload(world, interaction),
  });
}

function expire(world: World, interaction: Interaction): void {
  if (interaction.state.is !== 'waiting') return;
  interaction.state = { is: 'failed', atMs: world.clock.now() };
  world.touch({ is: 'interaction', interaction });
  world.changes.notify();
}

/** A first response: the body of `POST /interactions/:id/:token/callback`. */
export type Callback =
  | { readonly type: 4 | 7; readonly data: MessageInput }
  | { readonly type: 5; readonly flags: number }
  | { readonly type: 6 }
  | { readonly type: 8; readonly choices: readonly Payload[] }
  | { readonly type: 9; readonly modal: ModalBody };

/**
 * Finds the interaction that a callback responds to. Throws `Unknown interaction` if the time limit has passed or if
 * the bot has already responded.
 */
export function openInteraction(world: World, id: string, token: string): Interaction {
  const interaction = world.interactions.get(id);
  if (!interaction || interaction.token !== token) throw new ApiError('unknownInteraction');
  if (interaction.state.is === 'acknowledged') throw new ApiError('alreadyAcknowledged');
  if (world.clock.now() - interaction.createdAtMs > ACKNOWLEDGE_MS_MAX) {
    throw new ApiError('unknownInteraction');
  }
  return interaction;
}

/** Applies a first response and returns the message that it created or changed, if any. */
export function acknowledge(
  world: World,
  interaction: Interaction,
  callback: Callback,
  files: readonly Upload[],
): Message | null {
  checkCallbackType(interaction, callback.type);
  const message = applyCallback(world, interaction, callback, files);
  interaction.original = message;
  interaction.state = { is: 'acknowledged', callbackType: callback.type, atMs: world.clock.now() };
  world.touch({ is: 'interaction', interaction });
  world.changes.notify();
  return message;
}

function checkCallbackType(interaction: Interaction, type: number): void {
  const fitting: Readonly<Record<number, readonly number[]>> = {
    [INTERACTION_TYPES.command]: [4, 5, 9],
    [INTERACTION_TYPES.component]: [4, 5, 6, 7, 9],
    [INTERACTION_TYPES.autocomplete]: [8],
    [INTERACTION_TYPES.modal]: interaction.source ? [4, 5, 6, 7] : [4, 5],
  };
  if (!fitting[interaction.type]?.includes(type)) {
    refuseField('type', 'INTERACTION_CALLBACK_INVALID', 'This callback does not fit this interaction');
  }
}

function applyCallback(
  world: World,
  interaction: Interaction,
  callback: Callback,
  files: readonly Upload[],
): Message | null {
  switch (callback.type) {
    case CALLBACK_TYPES.message:
      return reply(world, interaction, callback.data, files, 0);
    case CALLBACK_TYPES.deferredMessage:
      return reply(world, interaction, { flags: callback.flags }, [], MESSAGE_FLAGS.LOADING);
    case CALLBACK_TYPES.deferredUpdate:
      return interaction.source;
    case CALLBACK_TYPES.update:
      if (interaction.source) {
        editMessage(world, interaction.channel, interaction.source, callback.data, files);
      }
      return interaction.source;
    case CALLBACK_TYPES.autocomplete:
      interaction.choices = callback.choices;
      return null;
    case CALLBACK_TYPES.modal:
      interaction.modal = callback.modal;
      return null;
  }
}

function reply(
  world: World,
  interaction: Interaction,
  input: MessageInput,
  files: readonly Upload[],
  flags: number,
): Message {
  const isCommand = interaction.type === INTERACTION_TYPES.command;
  const isMenu = isCommand && interaction.data['type'] !== 1;
  return createMessage(world, interaction.channel, {
    author: interaction.application.bot,
    input,
    files,
    flags,
    type: isMenu ? 23 : isCommand ? 20 : 0,
    origin: originOf(interaction, null),
  });
}

/**
 * Returns the interaction that a webhook token belongs to. Throws if the token is unknown or too old, or if the
 * interaction has no response yet.
 */
export function interactionOfToken(world: World, applicationId: string, token: string): Interaction {
  const interaction = world.interactionsByToken.get(token);
  if (!interaction || interaction.application.id !== applicationId) throw new ApiError('unknownWebhook');
  if (world.clock.now() - interaction.createdAtMs >= TOKEN_LIFETIME_MS) {
    throw new ApiError('invalidWebhookToken');
  }
  if (interaction.state.is !== 'acknowledged') throw new ApiError('unknownWebhook');
  return interaction;
}

/** Returns a message that an interaction's webhook may read and change. `@original` stands for the first reply. */
export function interactionMessage(interaction: Interaction, messageId: string): Message {
  const candidates = interaction.original
    ? [interaction.original, ...interaction.followUps]
    : interaction.followUps;
  const found =
    messageId === '@original' ? interaction.original : candidates.find((message) => message.id === messageId);
  if (!found || found.deletedAtMs !== null) throw new ApiError('unknownMessage');
  return found;
}

/**
 * Posts a follow-up. The first follow-up after a deferred reply replaces the loading message, as Discord's
 * documentation says.
 */
export function followUp(
  world: World,
  interaction: Interaction,
  input: MessageInput,
  files: readonly Upload[],
): Message {
  const original = interaction.original;
  if (original && original.deletedAtMs === null && (original.body.flags & MESSAGE_FLAGS.LOADING) !== 0) {
    editMessage(world, interaction.channel, original, input, files);
    return original;
  }
  const message = createMessage(world, interaction.channel, {
    author: interaction.application.bot,
    input,
    files,
    origin: originOf(interaction, original?.id ?? null),
  });
  interaction.followUps.push(message);
  world.changes.notify();
  return message;
}

function originOf(interaction: Interaction, followUpTo: string | null): MessageOrigin {
  return {
    interactionId: interaction.id,
    interactionType: interaction.type,
    applicationId: interaction.application.id,
    user: interaction.user,
    commandName: interaction.commandName,
    sourceMessageId: interaction.source?.id ?? null,
    followUpTo,
    guildId: interaction.guild?.id ?? null,
    opener: interaction.opener ? originOf(interaction.opener, null) : null,
  };
}
