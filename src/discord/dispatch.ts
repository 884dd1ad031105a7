import { type ChatInputCommandInteraction, type Client, Events, type Interaction } from 'discord.js';
import { type Clock, withDeadline } from '../base/clock.ts';
import { ServiceError, unreachable } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import { acknowledge } from './acknowledge.ts';
import { parseCommandCall } from './command-call.ts';
import type { Command, CommandResult, CommandServices } from './command.ts';
import { type MessageBody, MessageCalls } from './message-calls.ts';
import { RecentIds } from './recent-ids.ts';
import { apologyReply, sentenceReply } from './replies.ts';
import { withoutRequest } from './rest-verdict.ts';

export interface DispatchOptions {
  /** Any discord.js client, also a host's own; nothing but one listener is added to it. */
  readonly client: Client;
  readonly commands: readonly Command[];
  readonly services: CommandServices;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a command's own work came to. */
type Done =
  | { readonly kind: 'done'; readonly result: CommandResult }
  | { readonly kind: 'failed'; readonly error: unknown };

const RECENT_MAX = 2_000;
const RUNNING_MAX = 1_000;
const EXECUTE_DEADLINE_MS = 30_000;
const REPLY_DEADLINE_MS = 30_000;

/**
 * Answers this bot's own commands on a client, and nothing else. Disposing takes the listener away and
 * waits for what is being answered; each answer is bounded.
 */
export class Dispatch implements AsyncDisposable {
  readonly #options: DispatchOptions;
  readonly #calls: MessageCalls;
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #recent = new RecentIds(RECENT_MAX);
  readonly #running = new Set<Promise<void>>();
  #ids: ReadonlySet<string> = new Set();
  readonly #listener = (interaction: Interaction): void => this.#receive(interaction);

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options.client.rest);
    this.#commands = new Map(options.commands.map((command) => [command.data.name, command]));
    options.client.on(Events.InteractionCreate, this.#listener);
  }

  /**
   * From now on only commands with these ids are answered (as registration reports them), so that a host's
   * command of the same name stays the host's. Until then the name decides.
   */
  expectIds(ids: Iterable<string>): void {
    this.#ids = new Set(ids);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.client.off(Events.InteractionCreate, this.#listener);
    await Promise.all(this.#running);
  }

  #receive(interaction: Interaction): void {
    if (!interaction.isChatInputCommand()) return;
    const command = this.#commands.get(interaction.commandName);
    if (!command || (this.#ids.size > 0 && !this.#ids.has(interaction.commandId))) return;
    if (!this.#recent.add(interaction.id)) return;
    if (this.#running.size >= RUNNING_MAX) {
      this.#options.log.error({ running: this.#running.size }, 'Dropped a command: too many at once');
      return;
    }
    const running = this.#answer(interaction, command).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #answer(interaction: ChatInputCommandInteraction, command: Command): Promise<void> {
    const receivedAtMs = this.#options.clock.now();
    // In this order: the acknowledgement is on its way before anything else starts.
    const acknowledging = acknowledge(interaction, this.#options.clock);
    const executing = this.#execute(interaction, command, receivedAtMs);
    const [acknowledgement, done] = await Promise.all([acknowledging, executing]);
    try {
      if (!acknowledgement.shown) {
        this.#options.log.warn({ error: acknowledgement.why }, 'Cannot acknowledge a command');
        if (done.kind === 'failed') throw done.error;
        await this.#abandon(done.result);
      } else if (done.kind === 'failed') {
        await this.#apologise(interaction, done.error);
      } else {
        await this.#conclude(interaction, done.result, acknowledgement.messageId);
      }
    } catch (error) {
      this.#options.log.error({ error, interactionId: interaction.id }, 'Cannot answer a command');
    }
  }

  async #execute(
    interaction: ChatInputCommandInteraction,
    command: Command,
    receivedAtMs: number,
  ): Promise<Done> {
    const { clock, services } = this.#options;
    const work = async (): Promise<CommandResult> =>
      command.execute(parseCommandCall(interaction, receivedAtMs), services);
    const executing = work();
    try {
      return { kind: 'done', result: await withDeadline(clock, EXECUTE_DEADLINE_MS, () => executing) };
    } catch (error) {
      // The member is told that it failed, so a job that is taken on after all must not start.
      executing
        .then((late) => this.#abandon(late))
        .catch((cause: unknown) => this.#options.log.debug({ error: cause }, 'A late command failed'));
      return { kind: 'failed', error };
    }
  }

  async #conclude(
    interaction: ChatInputCommandInteraction,
    result: CommandResult,
    messageId: string | null,
  ): Promise<void> {
    switch (result.kind) {
      case 'job':
        try {
          return await this.#options.services.intake.acknowledged(result.jobId, messageId);
        } catch (error) {
          return await this.#apologise(interaction, error);
        }
      case 'reply':
        return this.#reply(interaction, result.reply);
      case 'whisper':
      case 'form':
      case 'nothing':
        throw new TypeError(`Cannot answer a command with "${result.kind}"`);
      default:
        return unreachable(result);
    }
  }

  async #abandon(result: CommandResult): Promise<void> {
    if (result.kind === 'job') await this.#options.services.intake.abandon(result.jobId);
  }

  /** The catch-all: the member gets an expected error's own words, or a code that finds the log entry. */
  async #apologise(interaction: ChatInputCommandInteraction, error: unknown): Promise<void> {
    if (error instanceof ServiceError && error.userMessage !== undefined) {
      return this.#reply(interaction, sentenceReply(error.userMessage));
    }
    const reference = derivedId('e', interaction.id).slice(0, 12);
    this.#options.log.error({ error, reference }, 'A command failed unexpectedly');
    await this.#reply(interaction, apologyReply(reference));
  }

  async #reply(interaction: ChatInputCommandInteraction, body: MessageBody): Promise<void> {
    const address = { applicationId: interaction.applicationId, interactionToken: interaction.token };
    try {
      await withDeadline(this.#options.clock, REPLY_DEADLINE_MS, (signal) =>
        this.#calls.editOriginal(address, { body, files: [] }, signal),
      );
    } catch (error) {
      throw withoutRequest(error, 'reply to a command');
    }
  }
}
