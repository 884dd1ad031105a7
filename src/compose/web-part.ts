import type { Jobs } from '../bot/jobs/jobs.ts';
import type { LiveSwapPages } from '../bot/sessions/live-swap/ports.ts';
import type { Readiness } from '../bot/web/health.ts';

/** The routes, in the host's server or in one of their own. */
export interface WebPart {
  serve(jobs: Jobs, live: LiveSwapPages, readiness: () => Promise<Readiness>): Promise<void>;
  /** Of its own server, once it listens; null in a host's. */
  url(): string | null;
}
