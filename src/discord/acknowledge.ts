import { type ChatInputCommandInteraction, MessageFlags } from 'discord.js';
import { type Clock, withDeadline } from '../base/clock.ts';
import { MessageCalls } from './message-calls.ts';
import { restErrorCode, withoutRequest } from './rest-verdict.ts';

export type Acknowledgement =
  /** The member sees that the bot is at work; `messageId` is the deferred reply, when Discord told it. */
  | { readonly shown: true; readonly messageId: string | null }
  | { readonly shown: false; readonly why: Error };

/** Discord gives up on an interaction after 3 s; the rest is for the answer's way back. */
const ACKNOWLEDGE_DEADLINE_MS = 5_000;
const CONFIRM_DEADLINE_MS = 5_000;
const UNKNOWN_INTERACTION = 10062;

/**
 * Tells Discord that the command arrived. The request is on its way when this returns its promise, which
 * never rejects.
 */
export async function acknowledge(
  interaction: ChatInputCommandInteraction,
  clock: Clock,
): Promise<Acknowledgement> {
  try {
    const response = await withDeadline(clock, ACKNOWLEDGE_DEADLINE_MS, () =>
      interaction.deferReply({ withResponse: true }),
    );
    return { shown: true, messageId: response.resource?.message?.id ?? null };
  } catch (error) {
    const why = withoutRequest(error, 'acknowledge an interaction');
    if (restErrorCode(error) === UNKNOWN_INTERACTION) return { shown: false, why };
    return lookWhetherShown(interaction, clock, why);
  }
}

/**
 * A failed call may have had its effect: an answer got lost, or the REST client's own repeat was told
 * "already acknowledged" (40060), or a twin of this process was first. Then the deferred reply is there.
 */
async function lookWhetherShown(
  interaction: ChatInputCommandInteraction,
  clock: Clock,
  why: Error,
): Promise<Acknowledgement> {
  const calls = new MessageCalls(interaction.client.rest);
  const address = { applicationId: interaction.applicationId, interactionToken: interaction.token };
  try {
    const message = await withDeadline(clock, CONFIRM_DEADLINE_MS, (signal) =>
      calls.getOriginal(address, signal),
    );
    const deferred = (message.flags & MessageFlags.Loading) !== 0;
    return deferred ? { shown: true, messageId: message.id } : { shown: false, why };
  } catch {
    // Not there, or not to be learned: the first failure says why.
    return { shown: false, why };
  }
}
