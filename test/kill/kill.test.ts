import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { listEntries } from '../../db/queries/ledger-entries.ts';
import { listOpenHolds } from '../../db/queries/holds.ts';
import { PIPELINE } from '../../src/jobs/pipeline.ts';
import { picture } from '../media-server/test-engine.ts';
import { type Community, useCommunityWithoutBot } from '../use-community.ts';
import type { ChildOptions, StepMoment } from './bot-child.ts';

type Place = Omit<Community, 'bot'>;

const MOMENTS = ['starting', 'effected', 'recorded'] as const;
const ALL_POINTS = Object.keys(PIPELINE).flatMap((stage) => MOMENTS.map((moment) => ({ stage, moment })));

async function startChild(place: Place): Promise<ChildProcess> {
  const { sandbox, media, dataDir } = place;
  const { token, apiUrl, cdnHost } = sandbox;
  const { baseUrl, apiKey, signingSecret } = media;
  const options = { token, apiUrl, cdnHost, baseUrl, apiKey, signingSecret, dataDir } satisfies ChildOptions;
  const child = fork(join(import.meta.dirname, 'bot-child.ts'), [JSON.stringify(options)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await answer(child)).toBe('ready');
  return child;
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  return message;
}

/** One job dies at each point; the process that is started next finishes it, and then dies for the next job. */
async function dieAndRecover(place: Place, points: readonly StepMoment[]): Promise<void> {
  const { ada, general } = place;
  const image = { name: 'image.png', bytes: await picture(10, 64) };
  const face = { name: 'face.png', bytes: await picture(200, 64) };
  let child = await startChild(place);
  for (const point of points) {
    child.send(point);
    expect(await answer(child)).toBe('armed');
    const exited = once(child, 'exit');
    const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
    const [, signal] = (await exited) as [number | null, string | null];
    expect(signal, `the child dies at ${JSON.stringify(point)}`).toBe('SIGKILL');

    child = await startChild(place);
    await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: 15_000 });
    await settled(place);
  }
}

async function settled({ dataDir }: Place): Promise<void> {
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  await expect
    .poll(() => db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled').execute(), {
      timeout: 10_000,
      interval: 50,
    })
    .toEqual([]);
}

async function expectExactlyOnce(place: Place, jobs: number): Promise<void> {
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

it.each([0, 1])(
  'a kill at any boundary leaves one message, one job and one charge (chain %i)',
  { timeout: 240_000 },
  async (chain) => {
    const points = ALL_POINTS.filter((_point, index) => index % 2 === chain);
    const place = await useCommunityWithoutBot({ media: { reconcileBeforeWebhook: chain === 0 } });

    await dieAndRecover(place, points);

    await expectExactlyOnce(place, points.length);
  },
);
