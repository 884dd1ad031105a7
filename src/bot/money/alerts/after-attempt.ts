import { unreachable } from '../../../base/errors.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import type { AlertOutcome } from './alert-outcome.ts';

const RETRY: Backoff = { delayMsFirst: 5_000, delayMsMax: 600_000 };
/** With the delays in `RETRY`, this number of attempts takes about seven hours. */
const ATTEMPTS_MAX = 50;

/** How one attempt to send an alert ended. */
export type Attempt =
  | AlertOutcome
  | { readonly outcome: 'failed'; readonly error: unknown }
  /** The process stopped before the chat answered. */
  | { readonly outcome: 'stopped' };

/** Whether an alert is closed after an attempt or tried again later. */
type AfterAttempt = { readonly step: 'close' } | { readonly step: 'defer'; readonly dueAtMs: number };

/** Returns the step that follows an attempt. `attempts` is the number of attempts, including this one. */
export function afterAttempt(
  outcome: Attempt['outcome'],
  { attempts, nowMs }: { readonly attempts: number; readonly nowMs: number },
): AfterAttempt {
  switch (outcome) {
    case 'sent':
    case 'refused':
      return { step: 'close' };
    case 'stopped':
      return { step: 'defer', dueAtMs: nowMs };
    case 'failed':
      if (attempts >= ATTEMPTS_MAX) return { step: 'close' };
      return { step: 'defer', dueAtMs: nowMs + backoffMs(RETRY, attempts) };
    default:
      return unreachable(outcome);
  }
}
