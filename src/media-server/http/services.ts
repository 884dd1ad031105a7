import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Billing } from '../billing/billing.ts';
import type { JobCapability } from '../capabilities/capability.ts';
import type { Gate } from '../accounts/gate.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Links } from '../files/links.ts';
import type { MediaFiles } from '../files/media-files.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Database } from '../store/database.ts';
import type { SessionKind } from '../sessions/session-kind.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Voices } from '../sessions/voice/voices.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { CallbackPolicy } from '../webhooks/callback-policy.ts';

/** The services that the routes use. */
export interface Services {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: Gate;
  readonly billing: Billing;
  readonly jobs: Jobs;
  readonly uploads: Uploads;
  readonly files: MediaFiles;
  readonly links: Links;
  readonly capabilities: readonly JobCapability[];
  readonly callbackPolicy: CallbackPolicy;
  readonly metrics: Metrics;
  readonly sessions: Sessions;
  readonly sessionKinds: readonly SessionKind[];
  readonly voices: Voices;
  /** The public base URL, ending in `/api/v1`, which is only known once the server is listening. */
  readonly baseUrl: () => string;
}
