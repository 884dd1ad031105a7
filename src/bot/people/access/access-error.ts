import { ServiceError } from '../../../base/errors.ts';

type AccessErrorCode = 'not_admin' | 'too_many' | 'out_of_range';

/** A change of access rules is refused; `userMessage` says why. */
export class AccessError extends ServiceError<AccessErrorCode> {
  constructor(code: AccessErrorCode, userMessage: string) {
    super(code, `Cannot change the rules of a guild: ${code}`, { userMessage });
  }
}
