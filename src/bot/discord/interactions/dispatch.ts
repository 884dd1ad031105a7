import { type AutocompleteInteraction, type Client, Events, type Interaction } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type AnswerableInteraction, type Deferral, acknowledge } from './acknowledge.ts';
import type { CommandResult, CommandServices } from '../command.ts';
import { answerCompletion } from './answer-completion.ts';
import { Conclusion } from './conclusion.ts';
import { openForm } from './open-form.ts';
import { RecentIds } from '../wire/recent-ids.ts';
import {
  type InteractionHandlers,
  InteractionRouter,
  type Task,
  isAnswerable,
} from './interaction-router.ts';

interface DispatchOptions extends InteractionHandlers {
  /** Any discord.js client, including one that belongs to a host. The dispatch only adds one listener to it. */
  readonly client: Client;
  readonly services: CommandServices;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The outcome of a handler. */
type Done =
  | { readonly kind: 'done'; readonly result: CommandResult }
  | { readonly kind: 'failed'; readonly error: unknown };

const RECENT_MAX = 2_000;
const RUNNING_MAX = 1_000;
const EXECUTE_DEADLINE_MS = 30_000;
/** A form is itself the first response, so it must be ready well within Discord's 3 s. */
const FORM_DEADLINE_MS = 1_500;

/**
 * Answers interactions with the bot's own commands, menus, components and forms on a client, and ignores all others.
 * Disposing it removes the listener and waits for answers in progress, each of which has a time limit.
 */
export class Dispatch implements AsyncDisposable {
  readonly #options: DispatchOptions;
  readonly #router: InteractionRouter;
  readonly #conclusion: Conclusion;
  readonly #recent = new RecentIds(RECENT_MAX);
  readonly #running = new Set<Promise<void>>();
  readonly #listener = (interaction: Interaction): void => this.#receive(interaction);

  constructor(options: DispatchOptions) {
    const { client, services, clock, log } = options;
    this.#options = options;
    this.#router = new InteractionRouter(options);
    this.#conclusion = new Conclusion({ intake: services.intake, clock, log });
    client.on(Events.InteractionCreate, this.#listener);
  }

  /**
   * From now on, answers only commands with these ids, which registration returned, so that a host's command with the
   * same name is left to the host. Before that, only the name counts.
   */
  expectIds(ids: Iterable<string>): void {
    this.#router.expectIds(ids);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.client.off(Events.InteractionCreate, this.#listener);
    await Promise.all(this.#running);
  }

  #receive(interaction: Interaction): void {
    const answer = this.#answerTo(interaction);
    if (!answer || !this.#recent.add(interaction.id)) return;
    if (this.#running.size >= RUNNING_MAX) {
      this.#options.log.error(
        { running: this.#running.size },
        'Dropped an interaction: too many are running',
      );
      return;
    }
    const running = answer().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /**
   * Returns undefined for an interaction that is not the bot's own or cannot be read. An error must not escape from
   * here: it would end the process.
   */
  #answerTo(interaction: Interaction): (() => Promise<void>) | undefined {
    try {
      if (interaction.isAutocomplete()) return this.#completion(interaction);
      return isAnswerable(interaction) ? this.#task(interaction) : undefined;
    } catch (error) {
      this.#options.log.error({ error, interactionId: interaction.id }, 'Cannot read an interaction');
      return undefined;
    }
  }

  #completion(interaction: AutocompleteInteraction): (() => Promise<void>) | undefined {
    const command = this.#router.commandOf(interaction);
    return command && (() => answerCompletion(interaction, command, this.#options));
  }

  #task(interaction: AnswerableInteraction): (() => Promise<void>) | undefined {
    const task = this.#router.taskOf(interaction, this.#options.clock.now());
    return task && (() => this.#answer(interaction, task));
  }

  async #answer(interaction: AnswerableInteraction, task: Task): Promise<void> {
    try {
      if (task.answer === 'form') await this.#answerWithForm(interaction, task);
      else
        await this.#answerDeferred(interaction, task.answer, () => this.#execute(task, EXECUTE_DEADLINE_MS));
    } catch (error) {
      this.#logFailure(interaction, error);
    }
  }

  #logFailure(interaction: AnswerableInteraction, error: unknown): void {
    this.#options.log.error({ error, interactionId: interaction.id }, 'Cannot answer a command');
  }

  async #answerDeferred(
    interaction: AnswerableInteraction,
    deferral: Deferral,
    execute: () => Promise<Done>,
  ): Promise<void> {
    // The acknowledgement must be sent before anything else starts.
    const acknowledging = acknowledge(interaction, deferral, this.#options.clock);
    const executing = execute();
    const [acknowledgement, done] = await Promise.all([acknowledging, executing]);
    if (!acknowledgement.shown) {
      this.#options.log.warn({ error: acknowledgement.why }, 'Cannot acknowledge a command');
      if (done.kind === 'failed') this.#logFailure(interaction, done.error);
      else await this.#conclusion.abandon(done.result);
      if (!acknowledgement.isCertain) await this.#conclusion.reportAbandoned({ interaction, deferral });
      return;
    }
    const acknowledged = { interaction, deferral, messageId: acknowledgement.messageId };
    if (done.kind === 'failed') await this.#conclusion.apologise(acknowledged, done.error);
    else await this.#conclusion.show(acknowledged, done.result);
  }

  /**
   * Waits for the handler's form and shows it. Any other result, or a form that comes too late, leads to an answer
   * that only the member sees.
   */
  async #answerWithForm(interaction: AnswerableInteraction, task: Task): Promise<void> {
    const done = await this.#execute(task, FORM_DEADLINE_MS);
    if (done.kind === 'failed' || done.result.kind !== 'form') {
      return this.#answerDeferred(interaction, 'private', () => Promise.resolve(done));
    }
    const opening = await openForm(interaction, done.result.form, this.#options.clock);
    if (opening.is === 'over') this.#options.log.warn({ error: opening.why }, 'Cannot show a form');
    if (opening.is !== 'refused') return;
    const failed: Done = { kind: 'failed', error: opening.why };
    await this.#answerDeferred(interaction, 'private', () => Promise.resolve(failed));
  }

  async #execute(task: Task, deadlineMs: number): Promise<Done> {
    const { clock, services, log } = this.#options;
    const executing = task.execute(services);
    try {
      return { kind: 'done', result: await withDeadline(clock, deadlineMs, () => executing) };
    } catch (error) {
      // The member sees that the command failed, so a job that is accepted late must not start.
      executing
        .then((late) => this.#conclusion.abandon(late))
        .catch((cause: unknown) => log.debug({ error: cause }, 'A late command failed'));
      return { kind: 'failed', error };
    }
  }
}
