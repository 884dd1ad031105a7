import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { listOpenHolds } from '../../db/queries/holds.ts';
import { listEntries } from '../../db/queries/ledger-entries.ts';
import type { Community } from '../use-community.ts';
import type { ChildOptions } from './bot-child.ts';

/** A community whose bot runs elsewhere. */
export type Place = Omit<Community, 'bot'>;

/** Starts a bot in a process of its own, and waits until it is ready; it is killed when the test ends. */
export async function startChild(place: Place): Promise<ChildProcess> {
  const { sandbox, media, dataDir } = place;
  const { token, apiUrl, cdnHost } = sandbox;
  const { baseUrl, apiKey, signingSecret } = media;
  const options = { token, apiUrl, cdnHost, baseUrl, apiKey, signingSecret, dataDir } satisfies ChildOptions;
  const child = fork(join(import.meta.dirname, 'bot-child.ts'), [JSON.stringify(options)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await answer(child)).toBe('ready');
  return child;
}

/** The next thing a child says. */
export async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  return message;
}

/** Waits until every job is settled. */
export async function settled({ dataDir }: Place): Promise<void> {
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  await expect
    .poll(() => db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled').execute(), {
      timeout: 10_000,
      interval: 50,
    })
    .toEqual([]);
}

/** Nothing was lost or doubled: that many messages, jobs at the service, and charges. */
export async function expectExactlyOnce(place: Place, jobs: number): Promise<void> {
  const { general, media, dataDir } = place;
  expect(general.messages.filter((message) => message.attachments.length === 1)).toHaveLength(jobs);
  expect(general.messages).toHaveLength(jobs);

  const headers = { authorization: `Bearer ${media.apiKey}` };
  const usage = (await (await fetch(`${media.baseUrl}/usage?limit=500`, { headers })).json()) as {
    status: string;
    charged_usd: number;
  }[];
  expect(usage).toHaveLength(jobs);
  expect(usage.every((record) => record.status === 'succeeded' && record.charged_usd === 0.04)).toBe(true);

  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  const stored = await db.kysely.selectFrom('jobs').selectAll().execute();
  expect(stored).toHaveLength(jobs);
  for (const job of stored) {
    const kinds = (await listEntries(db.kysely, job.id, 100)).map((entry) => entry.kind);
    expect(kinds.filter((kind) => kind === 'charge')).toHaveLength(1);
    expect(job.charged_micros).toBe(40_000);
  }
  expect(await listOpenHolds(db.kysely, { createdBeforeMs: Number.MAX_SAFE_INTEGER, limit: 100 })).toEqual(
    [],
  );
}
