import {
  type ChatInputCommandInteraction,
  type Message,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Answer } from '../command.ts';
import type { ComponentInteraction } from './component-call.ts';
import type { MenuInteraction } from './menu-call.ts';
import { MessageCalls, type SeenMessage } from '../wire/message-calls.ts';
import { restErrorCode, withoutRequest } from '../wire/rest-verdict.ts';

/** The interactions that members expect the bot to answer. */
export type AnswerableInteraction =
  | ChatInputCommandInteraction
  | MenuInteraction
  | ComponentInteraction
  | ModalSubmitInteraction;

/**
 * How an interaction is acknowledged before the work starts. `form` is excluded, because a form is the result of the
 * work.
 */
export type Deferral = Exclude<Answer, 'form'>;

type Acknowledgement =
  /**
   * The member sees that the bot is working. `messageId` is the id of the deferred reply or, for `update`, of the
   * component's message. It is null if Discord did not return it.
   */
  | { readonly shown: true; readonly messageId: string | null }
  /**
   * If `isCertain` is set, the member sees nothing. Otherwise it is unknown whether the acknowledgement had an effect,
   * and the member may see that the bot is working.
   */
  | { readonly shown: false; readonly isCertain: boolean; readonly why: Error };

/** Discord drops an interaction after 3 s. The deadline is longer so that Discord's response has time to arrive. */
const ACKNOWLEDGE_DEADLINE_MS = 5_000;
const CONFIRM_DEADLINE_MS = 5_000;
const UNKNOWN_INTERACTION = 10062;
/** Discord's error code for the token of an interaction that was not acknowledged. */
const UNKNOWN_WEBHOOK = 10015;

/**
 * Acknowledges an interaction. The request has already been sent when this function returns its promise, which never
 * rejects.
 */
export async function acknowledge(
  interaction: AnswerableInteraction,
  deferral: Deferral,
  clock: Clock,
): Promise<Acknowledgement> {
  try {
    const message = await withDeadline(clock, ACKNOWLEDGE_DEADLINE_MS, () => defer(interaction, deferral));
    return { shown: true, messageId: message?.id ?? null };
  } catch (error) {
    const why = withoutRequest(error, 'acknowledge an interaction');
    if (restErrorCode(error) === UNKNOWN_INTERACTION) return { shown: false, isCertain: true, why };
    return checkWhetherShown(interaction, deferral, clock, why);
  }
}

async function defer(interaction: AnswerableInteraction, deferral: Deferral): Promise<Message | null> {
  if (deferral === 'update' && 'deferUpdate' in interaction) {
    const updated = await interaction.deferUpdate({ withResponse: true });
    return updated.resource?.message ?? interaction.message;
  }
  const flags = deferral === 'private' ? ({ flags: MessageFlags.Ephemeral } as const) : {};
  const response = await interaction.deferReply({ ...flags, withResponse: true });
  return response.resource?.message ?? null;
}

/**
 * Checks whether a failed acknowledgement had an effect after all. The response may have been lost, Discord may have
 * answered the REST client's repeat with "already acknowledged" (40060), or another process of the bot may have
 * acknowledged the interaction first.
 */
async function checkWhetherShown(
  interaction: AnswerableInteraction,
  deferral: Deferral,
  clock: Clock,
  why: Error,
): Promise<Acknowledgement> {
  const calls = new MessageCalls(interaction.client.rest);
  const address = { applicationId: interaction.applicationId, interactionToken: interaction.token };
  try {
    const message = await withDeadline(clock, CONFIRM_DEADLINE_MS, (signal) =>
      calls.getOriginal(address, signal),
    );
    const shown = deferral === 'update' ? isSource(interaction, message) : isLoading(message);
    return shown ? { shown, messageId: message.id } : { shown, isCertain: true, why };
  } catch (error) {
    // The message does not exist, or could not be read; the first error gives the reason.
    return { shown: false, isCertain: restErrorCode(error) === UNKNOWN_WEBHOOK, why };
  }
}

function isLoading({ flags }: SeenMessage): boolean {
  return (flags & MessageFlags.Loading) !== 0;
}

function isSource(interaction: AnswerableInteraction, { id }: SeenMessage): boolean {
  return 'message' in interaction && interaction.message?.id === id;
}
