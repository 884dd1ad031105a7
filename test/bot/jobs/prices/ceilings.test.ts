import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { Ceilings } from '../../../../src/bot/jobs/prices/ceilings.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { seededRandom } from '../../../media-server/engine/seeded-random.ts';

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);

interface Tally {
  attempts: number;
  above: number;
  accepted: number;
  atOnceMax: number;
}

/**
 * Simulates a service that has room for `room` jobs at a time, each of random length, and a client with more work than
 * that. The client learns with a delay that jobs have ended. From `fromMs` to `toMs`, counts the attempts, and those
 * that the service refuses or accepts.
 */
async function simulate(
  seed: number,
  room: (nowMs: number) => number,
  toMs: number,
  fromMs = 0,
): Promise<Tally> {
  const random = seededRandom(seed);
  const clock = new FakeClock(0);
  const ceilings = new Ceilings({ clock, log: silentLogger, random });
  const tally = { attempts: 0, above: 0, accepted: 0, atOnceMax: 0 };
  const known = new Set<string>();
  const underWay = new Set<string>();
  let running = 0;
  let jobs = 0;
  const submit = (): void => {
    const id = String((jobs += 1));
    underWay.add(id);
    ceilings.enter('photo_swap', id);
    clock.after(50 + random() * 500, () => {
      const isFull = running >= room(clock.now());
      if (clock.now() >= fromMs) tally.attempts += 1;
      if (isFull) {
        if (clock.now() >= fromMs) tally.above += 1;
        ceilings.refused('photo_swap', id, 'full');
      } else {
        running += 1;
        if (clock.now() >= fromMs) tally.accepted += 1;
        tally.atOnceMax = Math.max(tally.atOnceMax, running);
        ceilings.accepted('photo_swap', id);
        known.add(id);
        clock.after(2_000 + random() * 30_000, () => {
          running -= 1;
          clock.after(random() * 3_000, () => known.delete(id));
        });
      }
      underWay.delete(id);
      ceilings.left('photo_swap', id);
    });
  };
  const fill = (): void => {
    while (underWay.size < 8 && ceilings.hasRoom('photo_swap', known.size)) submit();
    if (clock.now() < toMs) clock.after(100 + random() * 100, fill);
  };
  fill();
  await clock.advance(toMs);
  return tally;
}

test.each(SEEDS.slice(0, 8))(
  'at a ceiling of 3, at most one attempt in ten exceeds it (seed %i)',
  async (seed) => {
    const tally = await simulate(seed, () => 3, 2_100_000, 420_000);

    expect(tally.above / tally.attempts).toBeLessThanOrEqual(0.1);
    // The room is used: three jobs run at a time, each takes about 17 s, and its end is known up to 3 s later.
    expect(tally.accepted).toBeGreaterThan(0.75 * ((1_680 * 3) / 19));
  },
);

test('a higher ceiling is noticed', async () => {
  const tally = await simulate(1, (nowMs) => (nowMs < 300_000 ? 2 : 8), 3_600_000, 2_400_000);
  expect(tally.atOnceMax).toBeGreaterThanOrEqual(7);
});

test('while submits are made, ten are accepted between two attempts above the ceiling', () => {
  for (const seed of SEEDS) {
    const random = seededRandom(seed);
    const clock = new FakeClock(0);
    const ceilings = new Ceilings({ clock, log: silentLogger, random });
    for (let id = 0; id < 4; id++) ceilings.enter('avatar', `first${id}`);
    ceilings.refused('avatar', 'first3', 'full');
    let acceptedSince = 0;
    const underWay = new Set(['first0', 'first1', 'first2']);
    const probes: string[] = [];
    for (let step = 0; step < 2_000; step++) {
      const id = String(step);
      const before = ceilings.countUpTo('avatar') - 1;
      if (random() < 0.6 && ceilings.hasRoom('avatar', 0)) {
        if (underWay.size >= before) {
          if (probes.length > 0) expect(acceptedSince).toBeGreaterThanOrEqual(10);
          probes.push(id);
          acceptedSince = 0;
        }
        underWay.add(id);
        ceilings.enter('avatar', id);
        continue;
      }
      const [first] = underWay;
      if (first === undefined) continue;
      underWay.delete(first);
      if (probes.includes(first)) ceilings.refused('avatar', first, 'full');
      else {
        ceilings.accepted('avatar', first);
        acceptedSince += 1;
        ceilings.left('avatar', first);
      }
    }
    expect(probes.length).toBeGreaterThan(3);
  }
});

test('a job that ends its submit while the jobs at the service are counted is not missed', () => {
  const ceilings = new Ceilings({ clock: new FakeClock(0), log: silentLogger });
  for (const id of ['a', 'b']) ceilings.enter('avatar', id);
  ceilings.refused('avatar', 'b', 'full');
  ceilings.accepted('avatar', 'a');

  // The count may take place before or after job `a` is recorded as being at the service.
  ceilings.countUpTo('avatar');
  ceilings.left('avatar', 'a');

  expect(ceilings.hasRoom('avatar', 0)).toBe(false);
  ceilings.countUpTo('avatar');
  expect(ceilings.hasRoom('avatar', 0)).toBe(true);
});

test('a place that becomes free unnoticed is found, although no job of the bot ends', async () => {
  const clock = new FakeClock(0);
  const ceilings = new Ceilings({ clock, log: silentLogger });
  ceilings.enter('avatar', 'a');
  ceilings.accepted('avatar', 'a');
  ceilings.left('avatar', 'a');
  ceilings.hasRoom('avatar', 1);
  ceilings.enter('avatar', 'b');
  ceilings.refused('avatar', 'b', 'full');
  const triedAt: number[] = [];
  for (let second = 0; second < 3_600; second++) {
    await clock.advance(1_000);
    if (!ceilings.hasRoom('avatar', 1)) continue;
    triedAt.push(clock.now());
    ceilings.enter('avatar', 'b');
    ceilings.refused('avatar', 'b', 'full');
  }
  expect(triedAt.slice(0, 4)).toEqual([2_000, 6_000, 14_000, 30_000]);
  expect(triedAt.length).toBeLessThan(12);
});

test('a refusal pauses only its capability, for growing times, and never all at the same moment', () => {
  const againAt = SEEDS.map((seed) => {
    const ceilings = new Ceilings({ clock: new FakeClock(0), log: silentLogger, random: seededRandom(seed) });
    ceilings.enter('avatar', 'a');
    const first = ceilings.refused('avatar', 'a', 'no_capacity');
    expect(ceilings.hasRoom('avatar', 0)).toBe(false);
    expect(ceilings.hasRoom('lip_sync', 0)).toBe(true);
    for (let refusal = 0; refusal < 5; refusal++) ceilings.refused('avatar', 'b', 'no_capacity');
    expect(ceilings.refused('avatar', 'c', 'no_capacity')).toBeGreaterThanOrEqual(7_500);
    return first;
  });
  expect(Math.min(...againAt)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...againAt)).toBeLessThanOrEqual(1_000);
  expect(new Set(againAt).size).toBeGreaterThan(30);
});

test('a clock that is set back stops no submits', () => {
  const clock = new ShiftedClock();
  const ceilings = new Ceilings({ clock, log: silentLogger });
  for (const id of ['1', '2']) ceilings.enter('photo_swap', id);
  ceilings.accepted('photo_swap', '1');
  ceilings.refused('photo_swap', '2', 'full');
  expect(ceilings.hasRoom('photo_swap', 0)).toBe(false);

  clock.shift(-86_400_000);

  expect(ceilings.hasRoom('photo_swap', 0)).toBe(true);
});

/** The ways in which an attempt above the ceiling of 1 may end. */
const ENDS = {
  'broken off': (ceilings: Ceilings, id: string) => ceilings.left('avatar', id),
  refused: (ceilings: Ceilings, id: string) => {
    ceilings.refused('avatar', id, 'full');
    ceilings.left('avatar', id);
  },
  'taken on': (ceilings: Ceilings, id: string) => {
    ceilings.accepted('avatar', id);
    ceilings.left('avatar', id);
  },
} as const;

test.each([
  // The wait stays the same ('broken off' or 'taken on'), or becomes twice as long ('refused'). Only after 'taken on'
  // is there room for one more job.
  ['broken off', 2_000, 1],
  ['refused', 4_000, 1],
  ['taken on', 2_000, 2],
] as const)(
  'after an attempt above the ceiling that was %s, another one may be made',
  async (end, waitMs, jobsMax) => {
    const clock = new FakeClock(1_000_000);
    const ceilings = new Ceilings({ clock, log: silentLogger });
    for (const id of ['first', 'second']) ceilings.enter('avatar', id);
    ceilings.refused('avatar', 'second', 'full');
    ceilings.accepted('avatar', 'first');
    ceilings.left('avatar', 'first');
    await clock.advance(2_000);
    expect(ceilings.hasRoom('avatar', 1)).toBe(true);
    ceilings.enter('avatar', 'probe');
    // Only one attempt above the ceiling is made at a time.
    await clock.advance(10_000_000);
    expect(ceilings.hasRoom('avatar', 1)).toBe(false);

    ENDS[end](ceilings, 'probe');

    expect(ceilings.countUpTo('avatar')).toBe(jobsMax + 1);
    if (end === 'broken off') return expect(ceilings.hasRoom('avatar', 1)).toBe(true);
    await clock.advance(waitMs - 1);
    expect(ceilings.hasRoom('avatar', jobsMax)).toBe(false);
    await clock.advance(1);
    expect(ceilings.hasRoom('avatar', jobsMax)).toBe(true);
    expect(ceilings.hasRoom('avatar', jobsMax - 1)).toBe(true);
  },
);

test('before anything was refused there is no ceiling, and nobody counts', () => {
  const ceilings = new Ceilings({ clock: new FakeClock(0), log: silentLogger });
  expect(ceilings.countUpTo('avatar')).toBe(0);
  for (let id = 0; id < 500; id++) ceilings.enter('avatar', String(id));
  expect(ceilings.hasRoom('avatar', 500)).toBe(true);
  expect(ceilings.countUpTo('avatar')).toBe(0);
});

test('a refusal for lack of capacity lowers no ceiling, and one for lack of room never lowers it below one', () => {
  const ceilings = new Ceilings({ clock: new FakeClock(0), log: silentLogger });
  for (const id of ['1', '2', '3']) ceilings.enter('avatar', id);
  ceilings.refused('avatar', '3', 'no_capacity');
  expect(ceilings.countUpTo('avatar')).toBe(0);
  for (const id of ['1', '2']) ceilings.refused('avatar', id, 'full');
  expect(ceilings.countUpTo('avatar')).toBe(2);
});

test.each([
  [1, 2],
  [10, 11],
  [19, 20],
  [20, 22],
  [30, 33],
])('a ceiling of %i that is proven too low rises to %i', async (jobsMax, risen) => {
  const clock = new FakeClock(0);
  const ceilings = new Ceilings({ clock, log: silentLogger });
  for (let id = 0; id <= jobsMax; id++) ceilings.enter('avatar', String(id));
  ceilings.refused('avatar', String(jobsMax), 'full');
  expect(ceilings.countUpTo('avatar')).toBe(jobsMax + 1);
  await clock.advance(2_000);
  expect(ceilings.hasRoom('avatar', 0)).toBe(true);
  ceilings.enter('avatar', 'probe');
  ceilings.accepted('avatar', 'probe');
  expect(ceilings.countUpTo('avatar')).toBe(risen + 1);
});
