import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { clearResult, insertJob } from '../../../../db/queries/jobs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { KeptResults } from '../../../../src/bot/jobs/results/kept-results.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const THERE = { guildId: 'g', channelId: 'c', userId: 'stranger' };
const ELSEWHERE = { ...THERE, channelId: 'other' };
const RESULT = { kind: 'video', name: 'photo-swap', source: { from: 'result', jobId: 'job_a' } };

async function useResults(changes: Partial<NewJob> = {}): Promise<{ db: Database; results: KeptResults }> {
  const db = await useDatabase();
  const path = join(await useFolder(), 'result.mp4');
  await writeFile(path, 'a clip');
  const job: NewJob = {
    ...aJob('a'),
    guild_id: 'g',
    channel_id: 'c',
    user_id: 'ada',
    outcome: 'succeeded',
    result_path: path,
    result_mime: 'video/mp4',
    result_message_id: 'message',
    ...changes,
  };
  await db.transaction('guild:guild', (trx) => insertJob(trx, job));
  return { db, results: new KeptResults(db) };
}

describe('KeptResults', () => {
  test('returns a result to every member in the channel in which it was posted', async () => {
    const { results } = await useResults();

    expect(await results.ofJob(THERE, 'job_a')).toEqual(RESULT);
    expect(await results.ofMessage(THERE, 'message')).toEqual(RESULT);
  });

  test('returns it elsewhere in the server only to the member for whom it was made', async () => {
    const { results } = await useResults();

    expect(await results.ofJob(ELSEWHERE, 'job_a')).toBeUndefined();
    expect(await results.ofJob({ ...ELSEWHERE, userId: 'ada' }, 'job_a')).toEqual(RESULT);
    expect(await results.ofJob({ ...THERE, guildId: 'other', userId: 'ada' }, 'job_a')).toBeUndefined();
  });

  test('returns nothing after the result is no longer kept', async () => {
    const { db, results } = await useResults();
    await clearResult(db.kysely, 'job_a');

    expect(await results.ofJob(THERE, 'job_a')).toBeUndefined();
    expect(await results.ofMessage(THERE, 'message')).toBeUndefined();
  });

  test('returns nothing when the file was deleted', async () => {
    const { results } = await useResults({ result_path: '/nowhere/result.mp4' });

    expect(await results.ofJob(THERE, 'job_a')).toBeUndefined();
  });

  test('finds no result for messages that show none', async () => {
    const { results } = await useResults({ outcome: 'failed', result_path: null });

    expect(await results.ofMessage(THERE, 'message')).toBeNull();
    expect(await results.ofMessage(THERE, 'another')).toBeNull();
    expect(await results.ofJob(THERE, 'job_b')).toBeUndefined();
  });
});
