import { expect, test } from 'vitest';
import type { Fault } from '../../../whole/faults/fault-proxy.ts';
import { type FaultyVoice, endsWell, expectHeard, shown, speech, useFaultyTalk } from './use-faulty-voice.ts';

/** How many seconds the bot is granted for each session; the service itself would let it continue for longer. */
const GRANTED = 7;
const grants: Fault = {
  kind: 'change',
  change: (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...SHORT }),
};
const SHORT = { max_duration_sec: GRANTED, max_cost_usd: 0.007 };

async function useShortGrants(options: {
  readonly renewal: boolean;
  readonly next?: Fault;
}): Promise<FaultyVoice> {
  return useFaultyTalk({
    before: async ({ calls, guild, general, time }) => {
      const isOpen = ({ method, path }: { method: string; path: string }): boolean =>
        method === 'POST' && path.endsWith('/voice/session');
      calls.order({ matches: isOpen, times: options.next ? 1 : 100, fault: grants });
      if (options.next) calls.order({ matches: isOpen, times: 100, fault: options.next });
      const settings = { in: general, options: { voice_renewal: options.renewal } };
      await time.during((await guild.owner.runs('/budget settings', settings)).replied());
    },
  });
}

/** Has Ada speak until `check` no longer throws. */
async function speaksUntil({ ada, time }: FaultyVoice, check: () => void): Promise<void> {
  const said = await speech(0, 2);
  await time.until(
    async () => {
      await ada.voice.speaks(said);
      check();
    },
    { everyMs: 0 },
  );
}

test('closes at the granted limit and says so, if admins do not let it continue', async () => {
  const place = await useShortGrants({ renewal: false });
  const { streams, time } = place;

  await expectHeard(place, await speech(0, 3));
  await speaksUntil(place, () => expect(streams.open).toEqual([]));
  await time.until(async () => expect(await shown(place)).toContain('used up'));
  await time.during(place.ada.voice.speaks(await speech(0, 1)));

  expect(streams.streams).toHaveLength(1);
  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['granted']);
  expect(sessions[0]?.row.charged_micros).toBeLessThanOrEqual(7_000);
});

test('connects the next session before one reaches its limit, so that no speech is lost', async () => {
  const place = await useShortGrants({ renewal: true });
  const { streams, time } = place;
  let together = 0;
  const look = (): void => {
    together = Math.max(together, streams.open.length);
    time.after(20, look);
  };

  look();
  // This speech starts in one session and ends in the next.
  await expectHeard(place, await speech(0, 6));
  await speaksUntil(place, () => expect(streams.streams.length).toBeGreaterThan(1));
  await expectHeard(place, await speech(0, 3));

  expect(together).toBe(2);
  const sessions = await endsWell(place);
  const [first, ...later] = sessions.map(({ row }) => row.end_reason);
  expect(first).toBe('replaced');
  // When everything stops, the current session is stopped, and so is the next one if it is already connected.
  expect(later.filter((reason) => reason !== 'replaced' && reason !== 'stopped')).toEqual([]);
  expect(later).toContain('stopped');
});

const refusedWith = (status: number, code: string): Fault => ({
  kind: 'answer',
  moment: 'before',
  status,
  body: JSON.stringify({ error: { code, message: 'No' } }),
  headers: { 'content-type': 'application/json' },
});

test.each([
  [402, 'insufficient_credits', 'used up'],
  [502, 'capacity_unavailable', 'no room|places are taken'],
])('ends at the limit if the next session is refused with %i %s', async (status, code, words) => {
  const place = await useShortGrants({ renewal: true, next: refusedWith(status, code) });
  const { streams, time } = place;

  await expectHeard(place, await speech(0, 3));
  await speaksUntil(place, () => expect(streams.open).toEqual([]));
  await time.until(async () => expect(await shown(place)).toMatch(new RegExp(`over: .*(${words})`)));

  expect(streams.streams).toHaveLength(1);
  const sessions = await endsWell(place);
  expect(sessions[0]?.row).toMatchObject({ end_reason: 'granted' });
  for (const { row } of sessions.slice(1)) {
    expect(row).toMatchObject({ end_reason: 'not_opened', charged_micros: 0 });
  }
});
