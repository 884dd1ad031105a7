import { ServiceError } from '../../../base/errors.ts';

type MemberErrorCode =
  | 'bad_name'
  | 'name_taken'
  | 'too_many'
  | 'unknown_face'
  | 'expired'
  | 'never_swap'
  | 'unusable_picture';

/** A member's request is refused; `userMessage` says why, and what to do next. */
export class MemberError extends ServiceError<MemberErrorCode> {
  constructor(code: MemberErrorCode, userMessage: string, cause?: unknown) {
    super(code, `Cannot carry out a request of a member: ${code}`, { userMessage, cause });
  }
}
