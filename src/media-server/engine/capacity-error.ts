import { ServiceError } from '../../base/errors.ts';

/** There is no place for another live stream: all are taken, or the engine is still starting. */
export class CapacityError extends ServiceError<'capacity_unavailable' | 'capacity_warming'> {}
