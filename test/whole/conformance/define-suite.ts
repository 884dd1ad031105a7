import { authenticationSuite } from './suite/authentication.ts';
import { jobsSuite } from './suite/jobs.ts';
import { readsSuite } from './suite/reads.ts';
import { sessionsSuite } from './suite/sessions.ts';
import { uploadsSuite } from './suite/uploads.ts';
import { webhooksSuite } from './suite/webhooks.ts';
import type { Target } from './target.ts';

/**
 * Defines the documented behaviour as tests for any implementation. `readOnly` omits tests that store or cost
 * anything. Disabled capabilities are skipped and reported.
 */
export function defineSuite(target: () => Target, { readOnly }: { readonly readOnly: boolean }): void {
  authenticationSuite(target);
  if (!readOnly) {
    uploadsSuite(target);
    jobsSuite(target);
    webhooksSuite(target);
    sessionsSuite(target);
  }
  // This suite comes last, because by then there is data to read.
  readsSuite(target);
}
