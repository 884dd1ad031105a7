import { ServiceError } from '../../base/errors.ts';

/** No further live stream can start: there are as many as allowed, or the engine is still starting. */
export class CapacityError extends ServiceError<'capacity_unavailable' | 'capacity_warming'> {}
