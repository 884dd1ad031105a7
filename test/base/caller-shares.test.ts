import { expect, test } from 'vitest';
import { CallerShares, firstToGiveWay } from '../../src/base/caller-shares.ts';

test('looks at each holder once', () => {
  const shares = new CallerShares();
  const holders = Array.from({ length: 500 }, (_none, since) => ({
    share: shares.take(`2001:db8:${since % 7}:${since % 3}${since % 90}::1`),
    since,
  }));
  const looks: number[] = [];
  const first = firstToGiveWay(holders, shares.take('203.0.113.7'), ({ since }) => {
    looks.push(since);
    return { to: 'lighter', rank: 0 };
  });
  expect(first).toBeDefined();
  expect(looks).toEqual(holders.map(({ since }) => since));
});

test('forgets shares that have ended', () => {
  const shares = new CallerShares();
  const old = [shares.take('2001:db8:1::1'), shares.take('2001:db8:1:2::1')];
  for (const share of old) shares.leave(share);
  const held = shares.take('2001:db8:1:3::1').networks.map((network) => network.held);
  expect(held).toEqual([1, 1, 1]);
});
