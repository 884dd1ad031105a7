import { ServiceError } from '../../../base/errors.ts';

/** The member may not see a spending report. `userMessage` says why. */
export class SpendError extends ServiceError<'not_yours'> {
  constructor(userMessage: string) {
    super('not_yours', 'Cannot show spending: the viewer may see only their own', { userMessage });
  }
}
