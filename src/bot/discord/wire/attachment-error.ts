import { ServiceError } from '../../../base/errors.ts';
import type { InputProblem } from '../../jobs/inputs/inputs.ts';
import type { InputFetchFailure } from '../../jobs/inputs/input-fetcher.ts';

/**
 * A file could not be fetched. `retryable` states whether another attempt may succeed. The error contains no part of
 * the link.
 */
export class AttachmentError
  extends ServiceError<'unavailable' | 'too_large' | 'empty'>
  implements InputFetchFailure
{
  readonly problem: InputProblem;
  readonly retryable: boolean;

  constructor(
    problem: Extract<InputProblem, { kind: AttachmentError['code'] }>,
    why: string,
    retryable = false,
  ) {
    super(problem.kind, `Cannot fetch an attachment: ${why}`);
    this.problem = problem;
    this.retryable = retryable;
  }
}
