import type { SessionCapability } from '../../media-api/wire.ts';
import type { Rate } from '../store/rates.ts';
import type { SettingName } from '../store/settings.ts';
import type { Place } from './place.ts';

/** Everything the server needs to offer a session capability: its route, validation, price and stream. */
export interface SessionKind {
  readonly feature: SessionCapability;
  /** The rate per minute it starts with; sessions know no minimum, and their block takes the place of the hold. */
  readonly initialRate: Rate;
  /** The setting of how many sessions there may be at once, and its value until an administrator sets another. */
  readonly ceiling: { readonly setting: SettingName; readonly initial: number };
  /** False where there is no engine for it: then opens answer `capability_unavailable`. */
  readonly offered: boolean;
  /** Reads the body of an open. Throws `invalid_input`. */
  parse(body: unknown, accountId: string): SessionRequest;
  /** Shortens what was asked for when places are few; `use` counts the sessions open besides this one. */
  grant(seconds: number, use: PlacesInUse): number;
}

export interface PlacesInUse {
  readonly open: number;
  readonly ceiling: number;
}

/** One open, read and valid. */
export interface SessionRequest {
  /** Asked for. */
  readonly seconds: number;
  /** What the answer says besides what every session's says. */
  readonly answer: object;
  /**
   * Takes a place in the engine. Throws `CapacityError` when none is free, and `ApiError` for a request that turns
   * out to be impossible.
   */
  takePlace(signal: AbortSignal): Promise<Place>;
}
