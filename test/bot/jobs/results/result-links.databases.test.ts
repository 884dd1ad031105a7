import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findJob, insertJob } from '../../../../db/queries/jobs.ts';
import type { JobRow, NewJob } from '../../../../db/schema/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { fittingFile } from '../../../../src/bot/jobs/results/fitting-file.ts';
import { ResultLinks } from '../../../../src/bot/jobs/results/result-links.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const LIFE_MS = 600_000;
const KEPT = {
  result_path: '/data/results/job_a.webp',
  result_mime: 'image/webp',
  result_bytes: 100,
} as const;
const URL_PARTS =
  /^https:\/\/bot\.example\/results\/(?<jobId>[^/]+)\/(?<expires>\d+)\/(?<signature>[0-9a-f]{64})\/(?<name>.+)$/;

interface Parts {
  readonly jobId: string;
  readonly expires: string;
  readonly signature: string;
}

async function useLinks(changes: Partial<NewJob> = {}) {
  const db = await useDatabase();
  const clock = new FakeClock(1_000_000_000_000);
  const options = { db, clock, lifeMs: LIFE_MS, publicUrl: (path: string) => `https://bot.example${path}` };
  const links = await ResultLinks.open(options);
  await db.transaction('rows', async (trx) => {
    for (const name of ['a', 'b']) await insertJob(trx, aJob(name, { ...KEPT, ...changes }));
  });
  const job = async (name: string): Promise<JobRow> => {
    const found = await findJob(db.kysely, `job_${name}`);
    if (!found) throw new Error('There is no such job');
    return found;
  };
  const partsOf = async (name: string): Promise<Parts> => {
    const groups = URL_PARTS.exec(links.linkTo(await job(name))?.url ?? '')?.groups;
    if (!groups) throw new Error('There is no link');
    return groups as unknown as Parts;
  };
  return { db, clock, links, options, job, partsOf };
}

describe('a link to a result', () => {
  test('leads to that file under its name until it expires, on a whole minute, and then says so', async () => {
    const { links, clock, job, partsOf } = await useLinks();
    await clock.advance(12_345);
    const link = links.linkTo(await job('a'));
    const parts = await partsOf('a');
    const leftMs = (link?.expiresAtMs ?? 0) - clock.now();

    expect(link?.url.endsWith('/photo-swap.webp')).toBe(true);
    expect(leftMs).toBeGreaterThanOrEqual(LIFE_MS);
    expect(leftMs).toBeLessThan(LIFE_MS + 60_000);
    expect(link).toMatchObject({ expiresAtMs: Number(parts.expires) * 1000 });
    expect((link?.expiresAtMs ?? 1) % 60_000).toBe(0);
    const file = { kind: 'file', path: KEPT.result_path, mime: KEPT.result_mime, name: 'photo-swap.webp' };
    await clock.advance(leftMs - 1);
    expect(await links.resolve(parts)).toEqual(file);
    await clock.advance(1);
    expect(await links.resolve(parts)).toEqual({ kind: 'expired' });
  });

  test('leads nowhere if any part of it is changed', async () => {
    const { links, partsOf } = await useLinks();
    const [own, other] = [await partsOf('a'), await partsOf('b')];
    const changed = [
      { ...own, jobId: other.jobId },
      { ...own, jobId: 'job_c' },
      { ...own, signature: other.signature },
      { ...own, signature: '' },
      { ...own, expires: String(Number(own.expires) + 60) },
      { ...own, expires: `0${own.expires}` },
      // This has the same characters, but divided differently between the parts of the link.
      { ...own, jobId: `${own.jobId}:1`, expires: own.expires.slice(1) },
    ];
    for (const parts of changed) {
      expect(await links.resolve(parts), `${JSON.stringify(parts)} of ${JSON.stringify(own)}`).toEqual({
        kind: 'unknown',
      });
    }
  });

  test('is good in every process that shares the database, and in no other', async () => {
    const { links, options, partsOf } = await useLinks();
    const parts = await partsOf('a');
    const beside = await ResultLinks.open(options);
    expect(await beside.resolve(parts)).toEqual(await links.resolve(parts));
    const elsewhere = await useLinks();
    expect(await elsewhere.links.resolve(parts)).toEqual({ kind: 'unknown' });
  });

  test.each([
    ['is not kept', { result_path: null }],
    ['was cancelled', { taken_back: 'cancelled' }],
    ['was deleted', { taken_back: 'deleted' }],
  ] as const)('leads nowhere if its result %s meanwhile', async (_what, changes) => {
    const { links, db, partsOf } = await useLinks();
    const parts = await partsOf('a');
    await db.kysely.updateTable('jobs').set(changes).where('id', '=', 'job_a').execute();
    expect(await links.resolve(parts)).toEqual({ kind: 'unknown' });
  });

  test('is not created where results are not kept, or where nobody could reach it', async () => {
    const nothing = await useLinks({ result_path: null });
    expect(nothing.links.linkTo(await nothing.job('a'))).toBeNull();
    const hidden = await useLinks();
    const links = await ResultLinks.open({ ...hidden.options, publicUrl: undefined });
    expect(links.linkTo(await hidden.job('a'))).toBeNull();
  });
});

/** Creates a job with a result of 100 bytes, and with a smaller copy for a chat that accepts at most 60 bytes. */
async function aResult(changes: Partial<NewJob>, isCopyThere = true): Promise<JobRow> {
  const chatPath = join(await useFolder(), 'copy.jpg');
  if (isCopyThere) await writeFile(chatPath, 'copy');
  const copy = { chat_path: chatPath, chat_mime: 'image/jpeg', attachment_size_limit_bytes: 60 };
  const { job } = await useLinks({ ...copy, ...changes });
  return job('a');
}

describe('a chat that accepts a number of bytes shows', () => {
  const NONE = {};
  const LARGE = { name: 'photo-swap.webp', mime: 'image/webp' };
  const SMALL = { name: 'photo-swap.jpg', mime: 'image/jpeg' };

  test.each([
    [101, NONE, LARGE],
    [100, NONE, LARGE],
    [99, NONE, SMALL],
    [60, NONE, SMALL],
    [59, NONE, undefined],
    [99, { chat_path: null }, undefined],
    [99, { chat_mime: null }, undefined],
    [100, { result_bytes: null }, SMALL],
    [100, { result_mime: null }, SMALL],
    [100, { result_path: null }, SMALL],
  ] as const)('%i: of a result of 100 with a copy for 60 and %o', async (bytesMax, changes, file) => {
    const fitting = await fittingFile(await aResult(changes), bytesMax);
    if (file) expect(fitting).toMatchObject({ file, isSmaller: file === SMALL });
    else expect(fitting).toBeUndefined();
  });

  test('nothing if the copy is gone from the disk', async () => {
    expect(await fittingFile(await aResult({}, false), 99)).toBeUndefined();
  });
});
