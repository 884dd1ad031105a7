import { type Clock, DeadlineError, withDeadline } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { CapacityError } from '../engine/capacity-error.ts';
import { ApiError } from '../wire/api-error.ts';
import type { Place } from './place.ts';
import type { SessionRequest } from './session-kind.ts';

/** How long an engine may take to give a place. */
const TAKE_MS = 30_000;

/** Takes places in engines for sessions and sees to it that each is given back. */
export class Places implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #returning = new Set<Promise<void>>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Takes the place of a request or throws `ApiError`. One that comes too late is given back at once. */
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

  /** Gives a place back in the background. */
  giveBack(place: Place): void {
    const returning = this.#return(place).finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }

  /** Waits until all that were given back so far are free. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#returning);
  }

  async #return(place: Place): Promise<void> {
    try {
      await place[Symbol.asyncDispose]();
    } catch (error) {
      this.#logger.error({ error }, 'Cannot give back the place of a session');
    }
  }
}

/** What the engine says of its places is the caller's to know; anything else passes. */
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
