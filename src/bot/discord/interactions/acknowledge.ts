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

/** What members start and wait for an answer to. */
export type AnswerableInteraction =
  | ChatInputCommandInteraction
  | MenuInteraction
  | ComponentInteraction
  | ModalSubmitInteraction;

/** An acknowledgement that leaves before the work; a form is the work's own result. */
export type Deferral = Exclude<Answer, 'form'>;

type Acknowledgement =
  /**
   * The member sees that the bot is at work; `messageId` is the deferred reply, or for `update` the component's
   * message, when Discord told it.
   */
  | { readonly shown: true; readonly messageId: string | null }
  /** `isCertain`: nothing is shown. Otherwise it could not be learned, and the member may see the bot at work. */
  | { readonly shown: false; readonly isCertain: boolean; readonly why: Error };

/** Discord gives up on an interaction after 3 s; the rest is for the answer's way back. */
const ACKNOWLEDGE_DEADLINE_MS = 5_000;
const CONFIRM_DEADLINE_MS = 5_000;
const UNKNOWN_INTERACTION = 10062;
/** What the token of an interaction leads to that nobody has acknowledged. */
const UNKNOWN_WEBHOOK = 10015;

/**
 * Tells Discord that the interaction arrived. The request is on its way when this returns its promise, which
 * never rejects.
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
    return lookWhetherShown(interaction, deferral, clock, why);
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
 * A failed call may have had its effect: an answer got lost, or the REST client's own repeat was told
 * "already acknowledged" (40060), or a twin of this process was first. Then what it shows is there.
 */
async function lookWhetherShown(
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
    // Not there, or not to be learned: the first failure says why.
    return { shown: false, isCertain: restErrorCode(error) === UNKNOWN_WEBHOOK, why };
  }
}

function isLoading({ flags }: SeenMessage): boolean {
  return (flags & MessageFlags.Loading) !== 0;
}

function isSource(interaction: AnswerableInteraction, { id }: SeenMessage): boolean {
  return 'message' in interaction && interaction.message?.id === id;
}
