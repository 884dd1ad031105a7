import type { BudgetView } from '../../../src/bot/money/caps/budget.ts';
import { derivedId } from '../../../src/base/ids.ts';
import { micros } from '../../../src/base/money.ts';
import type { Refusal } from '../../../src/bot/jobs/intake/refusals.ts';
import type { IntakeOutcome } from '../../../src/bot/jobs/intake/intake-outcome.ts';
import type { Intake } from '../../../src/bot/jobs/intake/intake.ts';
import type { JobRequest } from '../../../src/bot/jobs/job-request.ts';
import type { ReplyTarget } from '../../../src/bot/jobs/reply-target.ts';

export const BUDGET: BudgetView = {
  limit: micros(5_000_000),
  left: micros(4_980_000),
  period: 'month',
  resetsAtMs: Date.UTC(2026, 1, 1),
};

const TOKEN_LIFE_MS = 15 * 60_000;

/** An in-memory intake that fulfils the contract of `Intake` and records the calls. */
export class MemoryIntake implements Pick<Intake, 'accept' | 'acknowledged' | 'abandon'> {
  readonly requests: JobRequest[] = [];
  /** The events of all jobs, in order, such as `accepted job_x`. */
  readonly record: string[] = [];
  readonly #messageIds = new Map<string, string | null>();
  #refusal: Refusal | undefined;
  #before: () => Promise<void> = () => Promise.resolve();

  /** Refuses every job from now on. */
  refuse(refusal: Refusal): void {
    this.#refusal = refusal;
  }

  /** Makes the intake wait for `gate` before it stores anything. If `gate` rejects, the intake throws its error. */
  holdUp(gate: () => Promise<void>): void {
    this.#before = gate;
  }

  async accept(request: JobRequest): Promise<IntakeOutcome> {
    await this.#before();
    if (this.#refusal) return { accepted: false, refusal: this.#refusal };
    const jobId = jobIdOf(request);
    if (!this.requests.some((known) => known.interactionId === request.interactionId)) {
      this.requests.push(request);
      this.record.push(`accepted ${jobId}`);
    }
    return { accepted: true, jobId, held: micros(20_000), budget: BUDGET };
  }

  acknowledged(jobId: string, messageId: string | null): Promise<void> {
    this.#messageIds.set(jobId, messageId);
    this.record.push(`acknowledged ${jobId}`);
    return Promise.resolve();
  }

  abandon(jobId: string): Promise<void> {
    this.record.push(`abandoned ${jobId}`);
    return Promise.resolve();
  }

  /** Where to send the cards of the only accepted job. */
  get target(): ReplyTarget {
    const [request] = this.requests;
    if (!request) throw new Error('No job was accepted');
    const jobId = jobIdOf(request);
    return {
      jobId,
      applicationId: request.applicationId,
      guildId: request.guildId,
      channelId: request.channelId,
      userId: request.userId,
      interactionToken: request.interactionToken,
      tokenExpiresAtMs: request.receivedAtMs + TOKEN_LIFE_MS,
      messageId: this.#messageIds.get(jobId) ?? null,
      attachmentSizeLimitBytes: request.attachmentSizeLimitBytes,
    };
  }
}

function jobIdOf(request: JobRequest): string {
  return derivedId('job', request.interactionId);
}
