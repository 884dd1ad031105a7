import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callerGroup, isSharedAddress } from '../../src/base/caller-group.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2a00:1450:4001:81b::200e', '2a00:1450:4001:81b::/64'],
  ['2A00:1450:4001:081B:0:0:0:1', '2a00:1450:4001:81b::/64'],
  ['2a00::1', '2a00:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('counts %s as part of %s', (address, group) => {
  expect(callerGroup(address)).toBe(group);
});

test('counts two IPv6 addresses as one caller exactly if their first 64 bits are equal', () => {
  const mapped = /^::ffff:/i;
  const address = fc.ipV6().filter((text) => !mapped.test(text));
  const alike = fc.tuple(address, fc.boolean(), address);
  fc.assert(
    fc.property(alike, ([one, isNear, far]) => {
      const network = callerGroup(one).replace('::/64', '');
      const other = isNear ? `${network}:${far.includes('::') ? '1:2:3:4' : 'a:b:c:d'}` : far;
      const list = new BlockList();
      list.addSubnet(one, 64, 'ipv6');
      expect(callerGroup(other) === callerGroup(one)).toBe(list.check(other, 'ipv6'));
    }),
  );
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['172.17.0.1', true],
  ['10.1.2.3', true],
  ['fd00::1', true],
  ['', true],
  ['8.8.8.8', false],
  ['203.0.113.7', false],
  ['100.64.3.4', true],
  ['::ffff:8.8.8.8', false],
  ['2a00:1450:4001:81b::200e', false],
])('%s is shared by many callers: %s', (address, isShared) => {
  expect(isSharedAddress(address)).toBe(isShared);
});
