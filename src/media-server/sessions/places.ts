import { type Clock, DeadlineError, withDeadline } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { CapacityError } from '../engine/capacity-error.ts';
import { ApiError } from '../wire/api-error.ts';
import type { Place } from './place.ts';
import type { SessionRequest } from './session-kind.ts';

/** How long an engine may take to provide a place. */
const TAKE_MS = 30_000;

/** Takes places in engines for sessions and ensures that each is released. */
export class Places implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #returning = new Set<Promise<void>>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Takes a place for a request or throws `ApiError`. A place that arrives too late is released at once. */
  async take(request: SessionRequest, signal: AbortSignal): Promise<Place> {
    const take = async (deadline: AbortSignal): Promise<Place> => {
      const place = await request.takePlace(deadline);
      if (deadline.aborted) this.giveBack(place);
      return place;
    };
    try {
      return await withDeadline(this.#clock, TAKE_MS, take, signal);
    } catch (error) {
      throw toRefusal(error);
    }
  }

  /** Releases a place in the background. */
  giveBack(place: Place): void {
    const returning = this.#return(place).finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }

  /** Waits until all places that were given back so far are released. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#returning);
  }

  async #return(place: Place): Promise<void> {
    try {
      await place[Symbol.asyncDispose]();
    } catch (error) {
      this.#logger.error({ error }, 'Cannot release the place of a session');
    }
  }
}

/** Turns the engine's capacity errors into answers for the caller; other errors stay as they are. */
function toRefusal(error: unknown): unknown {
  if (error instanceof CapacityError) {
    return error.code === 'capacity_warming'
      ? new ApiError(error.code, 'The engine is starting; retry in about a minute', {
          cause: error,
          retryAfterSeconds: 60,
        })
      : new ApiError(error.code, 'No place is free; retry shortly', { cause: error, retryAfterSeconds: 5 });
  }
  if (error instanceof DeadlineError) {
    return new ApiError('capacity_unavailable', 'The engine gave no place in time', { cause: error });
  }
  return error;
}
