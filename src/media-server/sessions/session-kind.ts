import type { SessionCapability } from '../../media-api/wire.ts';
import type { Rate } from '../store/rates.ts';
import type { SettingName } from '../store/settings.ts';
import type { Place } from './place.ts';

/**
 * Everything that the server needs to offer a session capability: its route, validation, price and stream.
 */
export interface SessionKind {
  readonly feature: SessionCapability;
  /**
   * The rate per minute that the first start of the server sets. Sessions have no minimum, and their block replaces the
   * hold.
   */
  readonly initialRate: Rate;
  /** The setting that limits the number of simultaneous sessions, and its value until an administrator sets another. */
  readonly ceiling: { readonly setting: SettingName; readonly initial: number };
  /** Whether there is an engine. Without one, requests to open a session get `capability_unavailable`. */
  readonly offered: boolean;
  /** Parses the body of a request to open a session. Throws `invalid_input`. */
  parse(body: unknown, accountId: string): SessionRequest;
  /** Shortens the requested length when few places are left. `use` does not count this session. */
  grant(seconds: number, use: PlacesInUse): number;
}

export interface PlacesInUse {
  readonly open: number;
  readonly ceiling: number;
}

/** A parsed and valid request to open a session. */
export interface SessionRequest {
  /** The requested length. */
  readonly seconds: number;
  /** The fields of the answer that only this capability has. */
  readonly answer: object;
  /**
   * Takes a place in the engine. Throws `CapacityError` if no place is free, and `ApiError` if the request turns out to
   * be impossible.
   */
  takePlace(signal: AbortSignal): Promise<Place>;
}
