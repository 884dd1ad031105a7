import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { AnswerableInteraction } from './acknowledge.ts';
import type { DiscordError } from '../wire/discord-error.ts';
import { restErrorCode, withoutRequest } from '../wire/rest-verdict.ts';

type Opening =
  | { readonly is: 'open' }
  /** Nothing was shown; another answer can still reach the member. */
  | { readonly is: 'refused'; readonly why: DiscordError }
  /** The interaction was already answered, or has expired; no other answer is possible. */
  | { readonly is: 'over'; readonly why: DiscordError };

const OPEN_DEADLINE_MS = 5_000;
const UNKNOWN_INTERACTION = 10062;
const ALREADY_ACKNOWLEDGED = 40060;

/** Shows a form to the member. Never rejects. */
export async function openForm(
  interaction: AnswerableInteraction,
  form: APIModalInteractionResponseCallbackData,
  clock: Clock,
): Promise<Opening> {
  try {
    await withDeadline(clock, OPEN_DEADLINE_MS, async () => {
      if (interaction.isModalSubmit()) throw new TypeError('Cannot show a form: it would follow a form');
      await interaction.showModal(form);
    });
    return { is: 'open' };
  } catch (error) {
    const why = withoutRequest(error, 'show a form');
    const code = restErrorCode(error);
    // The REST client repeats a request whose response was lost, so these errors may mean that the form is open
    // already.
    const isOver = code === UNKNOWN_INTERACTION || code === ALREADY_ACKNOWLEDGED;
    return { is: isOver ? 'over' : 'refused', why };
  }
}
