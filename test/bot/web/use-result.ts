import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findJob, insertJob } from '../../../db/queries/jobs.ts';
import { aJob } from '../../db/a-job.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import type { Web } from './use-web.ts';

export const BYTES: Buffer = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));

/** Creates a kept result and a link to it. */
export async function useResult(
  web: Web,
  mime: string | null = 'video/mp4',
): Promise<{ readonly path: string; readonly url: string }> {
  const folder = join(await useFolder(), 'results');
  await mkdir(folder);
  const path = join(folder, 'job_a.mp4');
  await writeFile(path, BYTES);
  const kept = { outcome: 'succeeded', stage: 'settled', result_path: path, result_mime: mime } as const;
  await web.db.transaction('guild:guild', (trx) => insertJob(trx, aJob('a', { ...kept, settled_at_ms: 1 })));
  return { path, url: await linkOf(web) };
}

/** Returns a new link to the kept result. */
export async function linkOf({ db, links }: Web): Promise<string> {
  const job = await findJob(db.kysely, 'job_a');
  const link = job && links.linkTo(job);
  if (!link) throw new Error('There is no link');
  return link.url;
}

/** Returns how many times this process has the file open. Works only on Linux. */
export async function timesOpen(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return paths.filter((open) => open === path).length;
}
