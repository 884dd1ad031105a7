import { ServiceError } from '../base/errors.ts';

/**
 * Why no session could be opened: a cap or the operator's gate (`refused`), the prepaid account (`unpaid`), no room at
 * the service just now (`no_capacity`), no configuration frame or no answer (`unreachable`), or the service said no
 * (`rejected`).
 */
export class LiveError extends ServiceError<
  'refused' | 'unpaid' | 'no_capacity' | 'unreachable' | 'rejected'
> {}
