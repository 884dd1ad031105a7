import { expect, it } from 'vitest';
import { FakeClock } from '../../src/base/fake-clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { parseUsd } from '../../src/base/money.ts';
import { Quotes } from '../../src/jobs/quote.ts';
import { json, useClient, useStubApi } from '../media-api/use-stub-api.ts';

const CARD = {
  capabilities: [{ feature: 'photo_swap', unit: 'image', rate_usd: 0.04, estimated_hold_usd: 0.06 }],
};
const BROKEN = json(400, { error: { code: 'invalid_input', message: '' } });

it('quotes the fallback before the first card, then the card, and keeps it when the service fails', async () => {
  const stub = await useStubApi(BROKEN);
  const clock = new FakeClock();
  const api = useClient(stub, { clock });
  await using quotes = new Quotes({ api, clock, log: silentLogger, fallback: parseUsd('0.10') });
  const amount = (): number => quotes.of('photo_swap', 1).amount;

  await quotes.start();
  expect(quotes.known).toBe(false);
  expect(amount()).toBe(parseUsd('0.10'));

  stub.script(json(200, CARD));
  await clock.advance(15_000);
  await expect.poll(amount).toBe(parseUsd('0.06'));

  stub.script(BROKEN);
  const asked = stub.arrivals();
  await clock.advance(600_000);
  await expect.poll(() => stub.arrivals()).toBeGreaterThan(asked);
  expect(amount()).toBe(parseUsd('0.06'));
});
