import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/log.ts';
import { getSetting, putSetting } from '../../../db/queries/settings.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { databaseUrlIn } from '../database-url.ts';
import { onServer } from '../use-postgres.ts';
import { useDatabase } from '../use-database.ts';
import { runTogether } from '../use-processes.ts';
import { picture } from '../../media-server/test-engine.ts';
import { useCommunity } from '../../helpers/use-community.ts';
import { useTwo } from './use-two.ts';

test('a process that is stopped in mid-transaction delays the others for seconds only, and adds nothing twice', async () => {
  const { url, one } = await useTwo();
  await putSetting(one.kysely, 'count', '0');
  const child = fork(new URL('stopping-process.ts', import.meta.url), [url], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  child.send('go');
  const add = (): Promise<string> =>
    one.transaction('guild:guild', async (trx) => {
      const count = String(Number(await getSetting(trx, 'count')) + 1);
      await putSetting(trx, 'count', count);
      return count;
    });
  // The child's lock shows that the child has reached the point at which it stops.
  await expect.poll(() => onServer(async (server) => (await server.query(HELD)).rowCount, url)).toBe(1);

  expect(await add()).toBe('1');
  const answered = once(child, 'message');
  child.kill('SIGCONT');

  expect(await answered).toEqual([{ runs: 2 }, undefined]);
  expect(await getSetting(one.kysely, 'count')).toBe('2');
});

/** Selects database sessions that are idle in a transaction and hold a scope's lock. */
const HELD = `select 1 from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and l.granted
  and a.datname = current_database() and a.state = 'idle in transaction'`;

test('four processes with simultaneous requests share the limit of one key', async () => {
  const { url } = await useTwo();
  const granted = await runTogether(new URL('../reserve-process.ts', import.meta.url), 4, [url]);
  expect(granted.flatMap((times) => times as number[])).toHaveLength(60);
});

test('accepted jobs are done once although all connections end repeatedly', async () => {
  // The bot polls early, because the service waits long before it repeats a webhook that arrived while the bot had no
  // database connection.
  const bot = { jobLimits: { leaseMs: 2_000, pollMsFirst: 200, webhookMsMin: 3_000 }, logger: silentLogger };
  const place = await useCommunity({ bot });
  const { ada, general, media, dataDir } = place;
  const url = databaseUrlIn(dataDir);
  const image = { name: 'image.png', bytes: await picture(10, 64) };
  const face = { name: 'face.png', bytes: await picture(200, 64) };
  const db = await useDatabase(`${dataDir}/masquerade.db`);
  const uses = [];
  for (let index = 0; index < 6; index++) {
    uses.push(await ada.runs('/photo-swap', { in: general, options: { image, face } }));
  }
  let ended = 0;
  const jobs = (): Promise<{ stage: string }[]> =>
    db.kysely
      .selectFrom('jobs')
      .select('stage')
      .execute()
      .catch(() => []);
  await expect.poll(async () => (await jobs()).length).toBe(uses.length);
  const settled = async (): Promise<number> => {
    const isDone = (await jobs()).filter(({ stage }) => stage === 'settled').length === uses.length;
    if (!isDone && ended < 60) ended += await endConnections(url);
    return (await jobs()).filter(({ stage }) => stage === 'settled').length;
  };
  await expect.poll(settled, { timeout: 50_000, interval: 100 }).toBe(uses.length);

  expect(ended).toBeGreaterThan(20);
  for (const use of uses) await use.replyWhere((message) => message.attachments.length === 1);
  expect(await bookProblems({ dataDir, media, messages: general.messages })).toEqual([]);
});

function endConnections(url: string): Promise<number> {
  const ending = `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  return onServer(async (server) => (await server.query<{ ended: number }>(ending)).rows[0]?.ended ?? 0, url);
}
