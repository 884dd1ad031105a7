import { type Clock, withDeadline } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { FACE_BYTES_MAX, notFetched, tooLarge } from './face-errors.ts';
import type { InputFetcher } from '../../jobs/inputs/input-fetcher.ts';

/** Short enough for a member who is waiting for the reply to a click. */
const FETCH_MS_MAX = 20_000;

/** Downloads a face's picture from Discord's CDN without changing it. Throws `MemberError`. */
export async function fetchFace(
  { fetcher, clock }: { readonly fetcher: InputFetcher; readonly clock: Clock },
  url: string,
  toPath: string,
): Promise<void> {
  try {
    await withDeadline(clock, FETCH_MS_MAX, (signal) =>
      fetcher.fetch({ url, toPath, sizeBytesMax: FACE_BYTES_MAX }, signal),
    );
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'too_large' ? tooLarge() : notFetched(error);
  }
}
