import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { Picks } from '../../../../src/bot/jobs/intake/picks.ts';
import type { PickedFile } from '../../../../src/bot/jobs/inputs/inputs.ts';
import { useDatabase } from '../../../db/use-database.ts';

const ADA = { guildId: '1', userId: '2' };
const MINUTE_MS = 60_000;

function aFile(name: string): PickedFile {
  return {
    kind: 'image',
    name,
    source: {
      from: 'chat',
      url: `https://cdn.example/${name}?hm=signed`,
      sizeBytes: null,
      of: { kind: 'message', userId: '3' },
    },
  };
}

describe('Picks', () => {
  test('finds the choice of a member for that member in that server only', async () => {
    const picks = new Picks({ db: await useDatabase(), clock: new FakeClock() });
    const result: PickedFile = {
      kind: 'video',
      name: 'result.mp4',
      source: { from: 'result', jobId: 'job_a' },
    };

    const id = await picks.keep(ADA, [aFile('a.png'), result]);

    expect(await picks.find(ADA, id)).toEqual([aFile('a.png'), result]);
    expect(await picks.find({ ...ADA, userId: '9' }, id)).toBeUndefined();
    expect(await picks.find({ ...ADA, guildId: '9' }, id)).toBeUndefined();
    expect(await picks.find(ADA, 'pick_other')).toBeUndefined();
  });

  test('deletes a choice after half an hour', async () => {
    const clock = new FakeClock();
    const db = await useDatabase();
    const picks = new Picks({ db, clock });
    const id = await picks.keep(ADA, [aFile('a.png')]);

    await clock.advance(30 * MINUTE_MS);
    expect(await picks.find(ADA, id)).toHaveLength(1);
    expect(await picks.purge()).toBe(0);
    await clock.advance(1);

    expect(await picks.find(ADA, id)).toBeUndefined();
    expect(await picks.purge()).toBe(1);
    expect(await db.kysely.selectFrom('picks').selectAll().execute()).toEqual([]);
  });

  test('keeps the newest twenty choices of a member', async () => {
    const clock = new FakeClock();
    const db = await useDatabase();
    const picks = new Picks({ db, clock });
    const first = await picks.keep(ADA, [aFile('first.png')]);
    for (let made = 0; made < 20; made++) {
      await clock.advance(1);
      await picks.keep(ADA, [aFile('a.png')]);
    }
    const others = await picks.keep({ ...ADA, userId: '9' }, [aFile('b.png')]);

    expect(await picks.find(ADA, first)).toBeUndefined();
    expect(await picks.find({ ...ADA, userId: '9' }, others)).toHaveLength(1);
    expect(await db.kysely.selectFrom('picks').selectAll().execute()).toHaveLength(21);
  });
});
