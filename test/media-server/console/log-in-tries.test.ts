import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { LogInTries } from '../../../src/media-server/console/log-in-tries.ts';

const NETWORK = fc
  .tuple(fc.nat(24), fc.nat(3), fc.nat(200))
  .map(([site, half, net]) => `2001:db8:${site}:${half + 1}${net.toString(16).padStart(2, '0')}::1`);
const STORM = { minLength: 500, maxLength: 1_000 };

test('lets one caller from elsewhere and callers on this machine try, whatever others did', async () => {
  const property = fc.asyncProperty(fc.array(NETWORK, STORM), async (others) => {
    const clock = new FakeClock();
    const tries = new LogInTries(clock);
    for (const address of others) {
      await clock.advance(1);
      tries.count({ address, isLocal: false });
    }
    expect(tries.count({ address: '203.0.113.7', isLocal: false })).toBeUndefined();
    expect(tries.count({ address: '127.0.0.1', isLocal: true })).toBeUndefined();
  });
  await fc.assert(property, { numRuns: 20 });
});

test('lets a caller in 10,000 networks and callers in 50 networks try a limited number of times', () => {
  const tries = new LogInTries(new FakeClock());
  const countOf = (addresses: readonly string[]): number =>
    addresses.filter((address) => tries.count({ address, isLocal: false }) === undefined).length;
  const one = Array.from({ length: 10_000 }, (_none, index) => `2001:db8:1:${index.toString(16)}::1`);
  expect(countOf(one)).toBeLessThan(500);
  const many = Array.from({ length: 5_000 }, (_none, index) => `2001:db9:${index % 50}:${index % 7}::1`);
  expect(countOf(many)).toBeLessThan(500);
});

test('returns how long to wait, and forgets attempts after a minute', async () => {
  const clock = new FakeClock();
  const tries = new LogInTries(clock);
  for (let index = 0; index < 60; index++) {
    tries.count({ address: `8.8.8.${index}`, isLocal: false });
    await clock.advance(400);
  }
  const late = { address: '9.9.9.9', isLocal: false };
  expect(tries.count(late)).toBe(36);
  await clock.advance(36_000);
  expect(tries.count(late)).toBeUndefined();
});
