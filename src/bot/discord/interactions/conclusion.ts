import { type Clock, withDeadline } from '../../../base/clock.ts';
import { ServiceError, unreachable } from '../../../base/errors.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import type { AnswerableInteraction, Deferral } from './acknowledge.ts';
import type { CommandResult } from '../command.ts';
import { type InteractionAddress, type MessageBody, MessageCalls } from '../wire/message-calls.ts';
import { apologyReply, sentenceReply } from '../words/replies/replies.ts';
import { type ReplyFile, rawFile } from './raw-file.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';
import type { Intake } from '../../jobs/intake/intake.ts';

interface ConclusionOptions {
  readonly intake: Pick<Intake, 'acknowledged' | 'abandon'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An interaction that was acknowledged, with the kind of acknowledgement. */
interface Acknowledged {
  readonly interaction: AnswerableInteraction;
  readonly deferral: Deferral;
  /** The id of the deferred reply or of the component's message; null if Discord did not return it. */
  readonly messageId: string | null;
}

const REPLY_DEADLINE_MS = 30_000;
const ABANDONED = 'Discord was in trouble, so this was not done. Please try again.';

/** Shows members the results of their interactions, after the interactions have been acknowledged. */
export class Conclusion {
  readonly #options: ConclusionOptions;

  constructor(options: ConclusionOptions) {
    this.#options = options;
  }

  /** Shows the result. Throws `DiscordError` if the member could not be informed. */
  async show(acknowledged: Acknowledged, result: CommandResult): Promise<void> {
    switch (result.kind) {
      case 'job':
        try {
          return await this.#options.intake.acknowledged(result.jobId, acknowledged.messageId);
        } catch (error) {
          return await this.apologise(acknowledged, error);
        }
      case 'reply':
        return this.#reply(acknowledged, result.reply, result.files);
      case 'whisper':
        return this.#whisper(acknowledged, result.reply);
      case 'nothing':
        return this.#leave(acknowledged);
      case 'form':
        return this.apologise(acknowledged, new TypeError('Cannot show a form after another answer'));
      default:
        return unreachable(result);
    }
  }

  /**
   * Reports any error from a handler. The member sees an expected error's own message, or a code that identifies the
   * log entry.
   */
  async apologise(acknowledged: Acknowledged, error: unknown): Promise<void> {
    const body = this.#apology(acknowledged.interaction.id, error);
    // Other members see a component's message, and an error would replace its content.
    if (acknowledged.deferral === 'update') await this.#whisper(acknowledged, body);
    else await this.#reply(acknowledged, body);
  }

  /** Informs the member that nothing was done, in case they see that the bot is working after all. */
  async reportAbandoned(begun: Omit<Acknowledged, 'messageId'>): Promise<void> {
    const acknowledged = { ...begun, messageId: null };
    const body = sentenceReply(ABANDONED);
    if (begun.deferral === 'update') await this.#whisper(acknowledged, body);
    else await this.#reply(acknowledged, body);
  }

  /** Abandons the job that `result` started, because the member will not see it. */
  async abandon(result: CommandResult): Promise<void> {
    if (result.kind === 'job') await this.#options.intake.abandon(result.jobId);
  }

  #apology(interactionId: string, error: unknown): MessageBody {
    if (error instanceof ServiceError && error.userMessage !== undefined) {
      return sentenceReply(error.userMessage);
    }
    const reference = derivedId('e', interactionId).slice(0, 12);
    this.#options.log.error({ error, reference }, 'A command failed unexpectedly');
    return apologyReply(reference);
  }

  #reply(
    acknowledged: Acknowledged,
    body: MessageBody,
    replyFiles: readonly ReplyFile[] = [],
  ): Promise<void> {
    return this.#call(acknowledged, 'reply to a command', async (calls, address, signal) => {
      const files = await Promise.all(replyFiles.map(rawFile));
      await calls.editOriginal(address, { body, files }, signal);
    });
  }

  async #whisper(acknowledged: Acknowledged, body: MessageBody): Promise<void> {
    if (acknowledged.deferral === 'private') return this.#reply(acknowledged, body);
    // Otherwise Discord would show the answer in place of the loading reply, which everyone sees.
    if (acknowledged.deferral === 'public') await this.#leave(acknowledged);
    await this.#call(acknowledged, 'answer a member in private', async (calls, address, signal) => {
      await calls.whisper(address, body, signal);
    });
  }

  async #leave(acknowledged: Acknowledged): Promise<void> {
    if (acknowledged.deferral === 'update') return;
    await this.#call(acknowledged, 'delete a reply', (calls, address, signal) =>
      calls.deleteOriginal(address, signal),
    );
  }

  async #call(
    { interaction }: Acknowledged,
    action: string,
    work: (calls: MessageCalls, address: InteractionAddress, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const calls = new MessageCalls(interaction.client.rest);
    const address = { applicationId: interaction.applicationId, interactionToken: interaction.token };
    try {
      await withDeadline(this.#options.clock, REPLY_DEADLINE_MS, (signal) => work(calls, address, signal));
    } catch (error) {
      throw withoutRequest(error, action);
    }
  }
}
