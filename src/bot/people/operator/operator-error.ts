import { ServiceError } from '../../../base/errors.ts';

/** The operator's desk did not do it; `userMessage` says why. */
export class OperatorError extends ServiceError<'not_operator' | 'unknown_operators' | 'unknown_guild'> {
  constructor(
    code: 'not_operator' | 'unknown_operators' | 'unknown_guild',
    userMessage: string,
    cause?: unknown,
  ) {
    super(code, `Cannot do what an operator does: ${code}`, { userMessage, cause });
  }
}
