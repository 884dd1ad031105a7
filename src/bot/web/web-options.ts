import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { WebhookInbox } from '../jobs/webhook-inbox.ts';
import type { ResultLinks } from '../jobs/results/result-links.ts';
import type { Readiness } from './register-health.ts';
import type { LiveWeb } from './live/live-web.ts';

/** The dependencies of the routes. */
export interface WebOptions {
  readonly inbox: WebhookInbox;
  /** Finds stored results by signed links. */
  readonly results: Pick<ResultLinks, 'resolve'>;
  /** `undefined` if there are no pages for live swaps. */
  readonly live?: LiveWeb | undefined;
  /**
   * Returns the secrets that webhooks may be signed with. There are several during a rotation; if there are none, all
   * webhooks are refused.
   */
  readonly signingSecrets: () => readonly string[];
  /** The service's name, as used in the names of its headers. */
  readonly headerPrefix: string;
  /**
   * Returns false once the bot has been disposed. A host's server may continue to run, but the routes must not accept
   * anything.
   */
  readonly isOpen: () => boolean;
  readonly readiness: () => Promise<Readiness>;
  readonly clock: Clock;
  readonly log: Logger;
}
