import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { WebhookInbox } from '../jobs/webhook-inbox.ts';
import type { ResultLinks } from '../jobs/results/result-links.ts';
import type { Readiness } from './health.ts';
import type { LiveWeb } from './live/live-web.ts';

/** What the routes need. */
export interface WebOptions {
  readonly inbox: WebhookInbox;
  /** Where kept results are found by signed links. */
  readonly results: Pick<ResultLinks, 'resolve'>;
  /** Undefined: there are no pages for live swaps. */
  readonly live?: LiveWeb | undefined;
  /** The secrets a webhook may be signed with: several during rotation, none refuses all. */
  readonly signingSecrets: () => readonly string[];
  /** The service's name in its header names. */
  readonly headerPrefix: string;
  /** False once the bot was disposed: a host's server goes on, and must not promise anything. */
  readonly isOpen: () => boolean;
  readonly readiness: () => Promise<Readiness>;
  readonly clock: Clock;
  readonly log: Logger;
}
