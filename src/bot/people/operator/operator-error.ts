import { ServiceError } from '../../../base/errors.ts';

/** A request to the operator's desk is refused; `userMessage` says why. */
export class OperatorError extends ServiceError<'not_operator' | 'unknown_operators' | 'unknown_guild'> {
  constructor(
    code: 'not_operator' | 'unknown_operators' | 'unknown_guild',
    userMessage: string,
    cause?: unknown,
  ) {
    super(code, `Cannot carry out a request of the operator: ${code}`, { userMessage, cause });
  }
}
