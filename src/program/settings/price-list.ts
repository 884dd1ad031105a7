import { type MicroUsd, ZERO, parseUsd } from '../../base/money.ts';
import { PRICED_CAPABILITIES, type PricedCapability, isSession } from '../../media-api/wire.ts';

/** Prices of jobs and sessions as the operator configures them. */
export type PriceList = {
  readonly [Name in PricedCapability]?: {
    readonly rate: MicroUsd;
    readonly per: 'image' | 'second' | 'minute';
    readonly minimum: MicroUsd;
  };
};

/** What a price list looks like, for error messages. */
export const PRICE_LIST_EXAMPLE = 'photo_swap=0.04, video_swap=0.05/s min 0.10, voice_swap=0.06/min';

const ENTRY = /^([a-z_]+)\s*=\s*(\d{1,3}(?:\.\d{1,6})?)(?:\/(s|min))?(?:\s+min\s+(\d{1,3}(?:\.\d{1,6})?))?$/;
const PER = { s: 'second', min: 'minute' } as const;

/**
 * Reads dollars per picture, `/s` or `/min` of output or of a session, and the least that a job costs, of some or all
 * capabilities, separated by commas. Undefined unless every entry is complete, above 0 and there once.
 */
export function readPriceList(text: string): PriceList | undefined {
  const list: { -readonly [Name in keyof PriceList]: PriceList[Name] } = {};
  for (const entry of text.split(',')) {
    const [, name, rate = '', per, minimum] = ENTRY.exec(entry.trim()) ?? [];
    const capability = PRICED_CAPABILITIES.find((known) => known === name);
    if (!capability || list[capability]) return undefined;
    const isPicture = capability === 'photo_swap';
    // Sessions are billed by the time alone.
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
