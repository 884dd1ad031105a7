import { once } from 'node:events';
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/base/connection-limiter.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { silentLogger } from '../../src/base/log.ts';

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const PART = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc';
const HONEST = ['198.51.100.7', '2001:db8:ffff::7'] as const;

/** A simulated connection from any address. On a real socket, tests could only use addresses of this machine. */
class Line extends Duplex {
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
}

/** Returns the names of the networks to which an address from `anAddress` belongs, the widest first. */
function networksOf(address: string): readonly string[] {
  if (!address.includes(':')) return [address];
  const [first, second, site, net = ''] = address.split(':');
  const wide = [first, second, site].join(':');
  return [wide, `${wide}:${net.slice(0, -2)}`, `${wide}:${net}`];
}

/** For each network of `address`, returns the number of lines from it, the widest network first. */
function weightOf(address: string, lines: readonly Line[]): readonly number[] {
  const own = networksOf(address);
  const all = lines.map(({ remoteAddress }) => networksOf(remoteAddress));
  const held = own.map((name, level) => all.filter((networks) => networks[level] === name).length);
  return [0, 1, 2].map((level) => held[level] ?? held[0] ?? 0);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((held, level) => held !== other[level]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** Starts a server that never responds, behind a connection limiter. */
function useLimitedServer(connectionsMax: number) {
  const server = createServer({ connectionsCheckingInterval: 0x7fffffff }, () => undefined);
  const clock = new FakeClock();
  const door = { connectionsMax, perAddressMax: 1_000, clock, logger: silentLogger };
  void new ConnectionLimiter(server, { ...door, isShared: () => false });
  const lines: Line[] = [];
  return {
    lines: () => lines.filter(({ destroyed }) => !destroyed),
    arrive: async ({ address, sends }: Arrival): Promise<Line> => {
      await clock.advance(1);
      const line = new Line(address);
      lines.push(line);
      server.emit('connection', line);
      if (sends !== '' && !line.destroyed) {
        const seen = once(server, 'request');
        line.push(sends);
        await seen;
      }
      for (const other of lines) if (other.destroyed && !other.closed) await once(other, 'close');
      return line;
    },
  };
}

interface Arrival {
  readonly address: string;
  /** The bytes that a connection sends first: none, part of a request, or a whole request. */
  readonly sends: string;
}

const sends = fc.constantFrom('', PART, REQUEST, REQUEST, REQUEST);
const part = fc.nat(3);
const anIpv6 = fc
  .tuple(part, part, part)
  .map(([site, half, net]) => `2001:db8:${site}:${half + 1}0${net}::1`);
const anAddress = fc.oneof(
  { weight: 4, arbitrary: anIpv6 },
  { weight: 1, arbitrary: part.map((host) => `203.0.113.${host}`) },
);
const arrivals = fc.array(fc.record({ address: anAddress, sends }), { minLength: 20, maxLength: 80 });

test('admits all callers until one caller has the most connections, and closes one of that caller', async () => {
  const property = fc.asyncProperty(
    arrivals,
    fc.integer({ min: 2, max: 16 }),
    async (all, connectionsMax) => {
      const { lines, arrive } = useLimitedServer(connectionsMax);
      for (const arrival of all) {
        const before = lines();
        const line = await arrive(arrival);
        expect(lines().length).toBe(Math.min(before.length + 1, connectionsMax));
        if (before.length < connectionsMax) continue;
        const together = [...before, line];
        const weights = before.map(({ remoteAddress }) => weightOf(remoteAddress, together));
        const [heaviest = []] = weights.toSorted((one, other) => compare(other, one));
        const own = weightOf(arrival.address, together);
        const gone = before.find(({ destroyed }) => destroyed);
        if (gone) expect(weightOf(gone.remoteAddress, together)).toEqual(heaviest);
        else expect(compare(heaviest, own)).toBeLessThanOrEqual(0);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test.each(HONEST)('admits %s alone and never closes it while others hold more', async (address) => {
  const property = fc.asyncProperty(arrivals, sends, arrivals, async (before, sent, after) => {
    // The limit of 10 connections is larger than the number of other callers: 4 sites and 4 IPv4 addresses.
    const { arrive } = useLimitedServer(10);
    for (const arrival of before) await arrive(arrival);
    const honest = await arrive({ address, sends: sent });
    for (const arrival of after) await arrive(arrival);
    expect(honest.destroyed).toBe(false);
  });
  await fc.assert(property, { numRuns: 60 });
});

test.each([
  ['/64s of one /56', (index: number) => `2001:db8:1:1${(index % 200).toString(16).padStart(2, '0')}::1`],
  ['/56s of one /48', (index: number) => `2001:db8:1:${(index % 200).toString(16)}01::1`],
])('lets neighbours in while one caller sends requests from many %s', async (_what, addressOf) => {
  const { arrive } = useLimitedServer(300);
  for (let index = 0; index < 600; index++) await arrive({ address: addressOf(index), sends: REQUEST });
  const others = ['198.51.100.7', '2001:db8:2::1', '2001:db8:1:ff00::1', '2001:db8:1:1ff::1'];
  const honest: Line[] = [];
  for (const address of others) honest.push(await arrive({ address, sends: REQUEST }));
  for (let index = 0; index < 600; index++) await arrive({ address: addressOf(index), sends: REQUEST });
  expect(honest.map(({ destroyed }) => destroyed)).toEqual(honest.map(() => false));
});
