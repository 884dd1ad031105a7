import type { Client } from 'discord.js';
import { findEarlierMessage } from '../wire/find-earlier-message.ts';
import { type MessageBody, MessageCalls, type SeenMessage } from '../wire/message-calls.ts';
import {
  alertNonce,
  budgetAlertBody,
  isAlert,
  operatorAlertBody,
  overrunAlertBody,
} from '../words/replies/alert-replies.ts';
import type { RequestGuard } from '../wire/request-guard.ts';
import { judgeRestError, withoutRequest } from '../wire/rest-verdict.ts';
import type { BudgetAlert, BudgetAlertChannel } from '../../money/alerts/budget-alert.ts';
import type { OverrunAlert, OverrunAlertChannel } from '../../money/alerts/overrun-alert.ts';
import type { AlertOutcome } from '../../money/alerts/alert-outcome.ts';
import type { OperatorChannel } from '../../people/operator/operator-channel.ts';
import type { OperatorNote } from '../../people/operator/operator-alert.ts';

interface Telling {
  readonly isRepeat: boolean;
  readonly signal: AbortSignal;
}

/** Posts alerts into channels without pinging anyone. A repeated attempt does not post an alert again. */
export class DiscordAlertChannels implements BudgetAlertChannel, OverrunAlertChannel, OperatorChannel {
  readonly #client: Client;
  readonly #calls: MessageCalls;

  constructor({ client, guard }: { readonly client: Client; readonly guard?: RequestGuard }) {
    this.#client = client;
    this.#calls = new MessageCalls(client.rest, guard);
  }

  sendBudgetAlert(channelId: string, alert: BudgetAlert, telling: Telling): Promise<AlertOutcome> {
    return this.#tell(channelId, alert, budgetAlertBody(alert), telling);
  }

  sendOverrunAlert(channelId: string, alert: OverrunAlert, telling: Telling): Promise<AlertOutcome> {
    return this.#tell(channelId, alert, overrunAlertBody(alert), telling);
  }

  sendOperatorAlert(channelId: string, note: OperatorNote, telling: Telling): Promise<AlertOutcome> {
    return this.#tell(channelId, note, operatorAlertBody(note), telling);
  }

  async #tell(
    channelId: string,
    { id, madeAtMs: sinceMs }: { readonly id: string; readonly madeAtMs: number },
    body: MessageBody,
    { isRepeat, signal }: Telling,
  ): Promise<AlertOutcome> {
    const isOwn = (message: SeenMessage): boolean =>
      message.authorId === this.#client.user?.id && isAlert(id, message);
    if (isRepeat && (await findEarlierMessage(this.#calls, { channelId, sinceMs, matches: isOwn }, signal))) {
      return { outcome: 'sent' };
    }
    try {
      await this.#calls.createMessage({ channelId, nonce: alertNonce(id) }, { body, files: [] }, signal);
      return { outcome: 'sent' };
    } catch (error) {
      const verdict = judgeRestError(error);
      if (verdict.kind === 'unreachable' || verdict.kind === 'token_dead') {
        throw withoutRequest(error, 'post an alert');
      }
      // Discord still recognises the nonce, but the message no longer exists: it was posted, and then deleted.
      if (verdict.reason === 'message_deleted') return { outcome: 'sent' };
      return { outcome: 'refused', reason: verdict.reason };
    }
  }
}
