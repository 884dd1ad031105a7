import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insertJobInputs } from '../../../../db/queries/job-inputs.ts';
import { findJob, insertJob } from '../../../../db/queries/jobs.ts';
import { pseudonymiseHolds, pseudonymiseJob } from '../../../../db/queries/personal-data.ts';
import { purgeDeletedData } from '../../../../db/queries/removals.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { DOLLAR_A_DAY, aHold } from '../../money/ledger/a-hold.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const JOBS = 300;
const ADA = '111222333444555666';
const BEN = '777888999000111222';

test('the file no longer contains deleted data, however the rows of members are interleaved', async () => {
  const path = join(await useFolder(), 'many.db');
  const database = await useDatabase(path);
  const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
  const ids = Array.from({ length: JOBS }, (_, index) => `${index}`);
  const ownerOf = (id: string): string => (Number(id) % 3 === 0 ? ADA : BEN);
  for (const id of ids) {
    await database.transaction('guild:guild', async (trx) => {
      const user_id = ownerOf(id);
      const parameters = JSON.stringify({ script: `the words of ${user_id} `.repeat(1 + (Number(id) % 40)) });
      await insertJob(trx, aJob(id, { user_id, parameters, interaction_token: `token of ${user_id}` }));
      await ledger.hold(trx, { ...aHold(`job_${id}`, micros(10)), userId: user_id });
      const url = `https://cdn.example/${user_id}/${'x'.repeat(Number(id) * 3)}`;
      const file = { job_id: `job_${id}`, field: 'image_key', option_name: 'image', kind: 'image' } as const;
      await insertJobInputs(trx, [{ ...file, source: 'chat', url }]);
    });
  }
  const bytes = async (): Promise<Buffer> =>
    Buffer.concat([await readFile(path), await readFile(`${path}-wal`)]);
  expect((await bytes()).includes(ADA)).toBe(true);

  for (const id of ids.filter((one) => ownerOf(one) === ADA)) {
    const job = await findJob(database.kysely, `job_${id}`);
    if (!job) throw new Error('There is no such job');
    const changed = await database.transaction('guild:guild', (trx) =>
      pseudonymiseJob(trx, job, { pseudonym: 'gone_a', nowMs: 20_000 }),
    );
    expect(changed).toBe(true);
  }
  await database.transaction('guild:guild', (trx) =>
    pseudonymiseHolds(
      trx,
      { guild_id: 'guild', user_id: ADA },
      { pseudonym: 'gone_a', untilMs: Number.MAX_SAFE_INTEGER },
    ),
  );
  expect(await purgeDeletedData(database.kysely)).toBe(true);

  const left = await bytes();
  expect(left.includes(ADA)).toBe(false);
  expect(left.includes(BEN)).toBe(true);
});
