import type { AutocompleteInteraction } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { parseCompletionCall } from './command-call.ts';
import { checkDemands } from './check-demands.ts';
import type { Choice, Command, CommandServices } from '../command.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';

interface CompletionOptions {
  readonly services: CommandServices;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Discord waits 3 s in total; an empty list is better than an error message next to the option. */
const COMPLETE_DEADLINE_MS = 2_500;
const RESPOND_DEADLINE_MS = 5_000;
const CHOICES_MAX = 25;
const TEXT_LENGTH_MAX = 100;

/** Sends the command's suggestions, or an empty list, to a member who is typing. Never rejects. */
export async function answerCompletion(
  interaction: AutocompleteInteraction,
  command: Command,
  options: CompletionOptions,
): Promise<void> {
  const { clock, log } = options;
  const choices = await suggestions(interaction, command, options);
  try {
    await withDeadline(clock, RESPOND_DEADLINE_MS, () => interaction.respond(choices));
  } catch (error) {
    // The member keeps typing, so the next request is already on its way.
    log.debug({ error: withoutRequest(error, 'suggest') }, 'Cannot show suggestions');
  }
}

async function suggestions(
  interaction: AutocompleteInteraction,
  command: Command,
  { services, clock, log }: CompletionOptions,
): Promise<Choice[]> {
  try {
    const call = parseCompletionCall(interaction, clock.now());
    checkDemands(command.data, interaction);
    const choices = await withDeadline(clock, COMPLETE_DEADLINE_MS, async () =>
      command.complete?.(call, services),
    );
    return (choices ?? [])
      .filter(({ name }) => name !== '')
      .slice(0, CHOICES_MAX)
      .map(({ name, value }) => ({ name: cut(name), value: cut(value) }));
  } catch (error) {
    log.warn({ error, command: command.data.name }, 'Cannot find suggestions');
    return [];
  }
}

/** Cuts off text that is too long, but never within a surrogate pair. */
function cut(text: string): string {
  return text.length <= TEXT_LENGTH_MAX
    ? text
    : text.slice(0, TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '');
}
