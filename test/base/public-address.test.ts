import { type LookupAddress, type LookupOptions } from 'node:dns';
import { expect, test } from 'vitest';
import {
  PrivateAddressError,
  isLoopbackHost,
  isPublicAddress,
  lookupPublic,
} from '../../src/base/public-address.ts';

test.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.127.255.255',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '198.19.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '2002:808:808::1',
  'localhost',
  '',
  '8.8.8',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
  ['10.0.0.1', false],
])('%s is this machine: %s', (host, expected) => expect(isLoopbackHost(host)).toBe(expected));

function lookup(hostname: string, options: LookupOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookupPublic(hostname, options, (error, address: string | LookupAddress[]) => {
      if (error) reject(error);
      else resolve(address);
    });
  });
}

test('resolves no names of this machine for a connection', async () => {
  await expect(lookup('localhost', { all: true })).rejects.toThrow(PrivateAddressError);
  await expect(lookup('127.0.0.1', {})).rejects.toThrow(PrivateAddressError);
});

test('returns a literal public address in the requested form', async () => {
  expect(await lookup('8.8.8.8', {})).toBe('8.8.8.8');
  expect(await lookup('8.8.8.8', { all: true })).toEqual([{ address: '8.8.8.8', family: 4 }]);
});
