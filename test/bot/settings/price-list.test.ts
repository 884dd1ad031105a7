import { describe, expect, test } from 'vitest';
import { PRICE_LIST_EXAMPLE } from '../../../src/bot/settings/price-list.ts';
import { readEnvironment } from '../../../src/bot/settings/read-environment.ts';
import { SettingsError } from '../../../src/bot/settings/settings-error.ts';

function pricesOf(text: string): unknown {
  return readEnvironment({ MEDIA_API_PRICES: text }).mediaApi.prices;
}

describe('MEDIA_API_PRICES', () => {
  test('holds prices per picture, second or minute, and minimum prices of jobs', () => {
    expect(pricesOf(PRICE_LIST_EXAMPLE)).toEqual({
      photo_swap: { rate: 40_000, per: 'image', minimum: 0 },
      video_swap: { rate: 50_000, per: 'second', minimum: 100_000 },
      voice_swap: { rate: 60_000, per: 'minute', minimum: 0 },
    });
    expect(pricesOf('lip_sync = 0.000001/s')).toEqual({ lip_sync: { rate: 1, per: 'second', minimum: 0 } });
    expect(pricesOf('')).toEqual({});
  });

  test.each([
    ['a price without capability', '0.04'],
    ['a capability that does not exist', 'teleport=0.04'],
    ['the price of a session without a unit of time', 'voice_swap=0.04'],
    ['the minimum price of a session', 'live_swap_pro=0.04/s min 1'],
    ['a capability twice', 'photo_swap=0.04, photo_swap=0.05'],
    ['the price of a clip without a unit of time', 'video_swap=0.05'],
    ['the price of a picture with a unit of time', 'photo_swap=0.04/s'],
    ['a price of zero', 'photo_swap=0'],
    ['a negative price', 'photo_swap=-1'],
    ['another currency', 'photo_swap=€0.04'],
    ['more than six decimals', 'photo_swap=0.0000001'],
    ['a price of 1000 dollars', 'video_swap=1000/s'],
    ['a comma at the end', 'photo_swap=0.04,'],
    ['a word after the price', 'photo_swap=0.04 about'],
  ])('cannot hold %s', (_what, text) => {
    expect(() => pricesOf(text)).toThrow(SettingsError);
    expect(() => pricesOf(text)).toThrow(
      `MEDIA_API_PRICES holds "${text}": it may hold dollars by capability, such as photo_swap=0.04`,
    );
  });
});
