import { authenticationSuite } from './suite/authentication.ts';
import { jobsSuite } from './suite/jobs.ts';
import { readsSuite } from './suite/reads.ts';
import { sessionsSuite } from './suite/sessions.ts';
import { uploadsSuite } from './suite/uploads.ts';
import { webhooksSuite } from './suite/webhooks.ts';
import type { Target } from './target.ts';

/**
 * The documented behaviour as tests, for any implementation. `readOnly` leaves out whatever stores or costs
 * something. Capabilities that are switched off are skipped and said to be.
 */
export function defineSuite(target: () => Target, { readOnly }: { readonly readOnly: boolean }): void {
  authenticationSuite(target);
  if (!readOnly) {
    uploadsSuite(target);
    jobsSuite(target);
    webhooksSuite(target);
    sessionsSuite(target);
  }
  // Last, as then there is something to read.
  readsSuite(target);
}
