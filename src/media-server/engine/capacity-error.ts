import { ServiceError } from '../../base/errors.ts';

/** No place for another live stream: none is free, or the engine is still starting. */
export class CapacityError extends ServiceError<'capacity_unavailable' | 'capacity_warming'> {}
