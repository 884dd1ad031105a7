import { type MicroUsd, ZERO, parseUsd } from '../../base/money.ts';
import { PRICED_CAPABILITIES, type PricedCapability, isSession } from '../../media-api/wire.ts';

/** The prices of jobs and sessions that the operator configures. */
export type PriceList = {
  readonly [Name in PricedCapability]?: {
    readonly rate: MicroUsd;
    readonly per: 'image' | 'second' | 'minute';
    readonly minimum: MicroUsd;
  };
};

/** An example of a price list, for error messages. */
export const PRICE_LIST_EXAMPLE = 'photo_swap=0.04, video_swap=0.05/s min 0.10, voice_swap=0.06/min';

const ENTRY = /^([a-z_]+)\s*=\s*(\d{1,3}(?:\.\d{1,6})?)(?:\/(s|min))?(?:\s+min\s+(\d{1,3}(?:\.\d{1,6})?))?$/;
const PER = { s: 'second', min: 'minute' } as const;

/**
 * Reads a comma-separated price list. A price is in dollars per picture, or per second (`/s`) or minute (`/min`) of
 * output or of a session. It may be followed by the minimum price of a job (`min 0.10`). Empty text is an empty list.
 * Returns undefined if a price is incomplete or not above 0, or if a capability is listed twice.
 */
export function readPriceList(text: string): PriceList | undefined {
  const list: { -readonly [Name in keyof PriceList]: PriceList[Name] } = {};
  if (text === '') return list;
  for (const entry of text.split(',')) {
    const [, name, rate = '', per, minimum] = ENTRY.exec(entry.trim()) ?? [];
    const capability = PRICED_CAPABILITIES.find((known) => known === name);
    if (!capability || list[capability]) return undefined;
    const isPicture = capability === 'photo_swap';
    // Sessions are billed only by time.
    if (minimum !== undefined && isSession(capability)) return undefined;
    if (isPicture !== (per === undefined) || parseUsd(rate) === ZERO) return undefined;
    list[capability] = {
      rate: parseUsd(rate),
      per: per === 's' || per === 'min' ? PER[per] : 'image',
      minimum: minimum === undefined ? ZERO : parseUsd(minimum),
    };
  }
  return list;
}
