import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { insertJobInputs, listJobInputs } from '../../../../db/queries/job-inputs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aJob } from '../../../db/a-job.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { type Reply, json, refuse } from '../../../media-api/use-stub-api.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { type Pipeline, jobState, usePipeline } from '../use-pipeline.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

const OWN = anOrigin();
const STRANGER = anOrigin({ userId: '999', interactionId: 'interaction_stranger' });
const MODERATOR = anOrigin({ userId: '777', isModerator: true, interactionId: 'interaction_mod' });
const ELSEWHERE = anOrigin({ guildId: '555', isModerator: true });

/** Creates a settled job for Ada with a kept result and a kept input. */
async function useEnded(
  { db }: Pipeline,
  name: string,
  changes: Partial<NewJob> = {},
): Promise<{ id: string; files: string[] }> {
  const folder = await useFolder();
  const files = ['result.jpg', 'image_key', 'face_key'].map((file) => join(folder, file));
  for (const file of files) await writeFile(file, file);
  const [result = '', ...inputs] = files;
  const job = aJob(name, {
    guild_id: OWN.guildId,
    user_id: OWN.userId,
    channel_id: OWN.channelId,
    stage: 'settled',
    outcome: 'succeeded',
    result_path: result,
    result_mime: 'image/jpeg',
    result_bytes: 10,
    reply_message_id: '11',
    result_message_id: '11',
    settled_at_ms: 2_000,
    ...changes,
  });
  await db.transaction('guild:guild', async (trx) => {
    await insertJob(trx, job);
    await insertJobInputs(
      trx,
      inputs.map((path, at) => ({
        job_id: job.id,
        field: at === 0 ? 'image_key' : 'face_key',
        option_name: at === 0 ? 'image' : 'face',
        kind: 'image',
        source: 'chat',
        url: '',
        size_bytes: 1,
        path,
        sha256: 'x',
        mime: 'image/jpeg',
        extension: 'jpg',
      })),
    );
  });
  return { id: job.id, files };
}

async function areGone(files: readonly string[]): Promise<boolean> {
  const there = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return !there.includes(true);
}

describe('a member at the desk', () => {
  test.each([
    ['show', STRANGER, 'not_yours'],
    ['retry', STRANGER, 'not_yours'],
    ['cancel', STRANGER, 'not_yours'],
    ['remove', STRANGER, 'not_yours'],
    ['show', ELSEWHERE, 'not_found'],
    ['retry', ELSEWHERE, 'not_found'],
    ['remove', ELSEWHERE, 'not_found'],
    ['report', ELSEWHERE, 'not_found'],
  ] as const)('may not %s the jobs of others', async (action, who: CallOrigin, why) => {
    const pipeline = await usePipeline({ start: false });
    const { id, files } = await useEnded(pipeline, 'a');

    expect(await pipeline.jobs.desk[action](who, id)).toEqual({ outcome: 'refused', why });
    expect(await areGone(files)).toBe(false);
  });

  test('sees their own jobs page by page, and all of the server as a moderator', async () => {
    const pipeline = await usePipeline({ start: false });
    const { desk } = pipeline.jobs;
    for (let at = 0; at < 10; at++) await useEnded(pipeline, `a${at}`, { accepted_at_ms: at });
    await useEnded(pipeline, 'other', { user_id: '888', accepted_at_ms: 100 });
    await useEnded(pipeline, 'gone', { taken_back: 'deleted', accepted_at_ms: 101 });
    const open = await pipeline.accept();

    const ended = { whose: 'own', which: 'ended', page: 0 } as const;
    const first = await desk.list(OWN, { ...ended, whose: 'guild' });
    const second = await desk.list(OWN, { ...ended, page: 1 });
    const all = await desk.list(MODERATOR, { ...ended, whose: 'guild' });

    expect(first).toMatchObject({ whose: 'own', hasMore: true });
    expect(first.jobs.map(({ jobId }) => jobId)).toEqual([9, 8, 7, 6, 5, 4, 3, 2].map((at) => `job_a${at}`));
    expect(second.jobs.map(({ jobId }) => jobId)).toEqual(['job_a1', 'job_a0']);
    expect(second.hasMore).toBe(false);
    expect(all.jobs[0]?.jobId).toBe('job_other');
    expect((await desk.list(OWN, { ...ended, which: 'open' })).jobs.map(({ jobId }) => jobId)).toEqual([
      open,
    ]);
  });
});

describe('a retry', () => {
  test('is a new job with the same files, for the member who requests it', async () => {
    const pipeline = await usePipeline({ start: false });
    const { id } = await useEnded(pipeline, 'a', { parameters: '{"output_resolution_p":720}' });

    const retried = await pipeline.jobs.desk.retry(MODERATOR, id);

    if (retried.outcome !== 'retried' || !retried.intake.accepted) throw new Error('Not taken on');
    expect(await pipeline.row(retried.intake.jobId)).toMatchObject({
      retry_of: id,
      user_id: MODERATOR.userId,
      parameters: '{"output_resolution_p":720}',
    });
    expect(await pipeline.hold(retried.intake.jobId)).toMatchObject({ user_id: MODERATOR.userId });
    const inputs = await listJobInputs(pipeline.db.kysely, retried.intake.jobId);
    expect(inputs.map(({ source, source_id }) => `${source} ${source_id}`)).toEqual([
      `input ${id}/face_key`,
      `input ${id}/image_key`,
    ]);
    expect(await pipeline.jobs.desk.retry(OWN, id)).toEqual({
      outcome: 'refused',
      why: 'already_retrying',
    });
  });

  test('that is requested twice at the same time is accepted once', async () => {
    const pipeline = await usePipeline({ start: false });
    const { id } = await useEnded(pipeline, 'a');

    const both = await Promise.all([
      pipeline.jobs.desk.retry(OWN, id),
      pipeline.jobs.desk.retry({ ...OWN, interactionId: 'interaction_again' }, id),
    ]);

    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['refused', 'retried']);
    expect(both).toContainEqual({ outcome: 'refused', why: 'already_retrying' });
  });

  test('has the files of the first job also when a moderator requests it', async () => {
    const pipeline = await usePipeline();
    const id = await pipeline.run();
    await pipeline.until(id, 'settled');

    const retried = await pipeline.jobs.desk.retry(MODERATOR, id);
    if (retried.outcome !== 'retried' || !retried.intake.accepted) throw new Error('Not taken on');
    pipeline.script.submit = [json(200, { id: 'srv_2', status: 'queued', status_url: '/api/v1/jobs/srv_2' })];
    pipeline.script.job = [jobState({ id: 'srv_2' })];
    await pipeline.jobs.intake.acknowledged(retried.intake.jobId, null);

    expect(await pipeline.until(retried.intake.jobId, 'settled')).toMatchObject({ outcome: 'succeeded' });
  });

  test.each([
    ['pointless', { outcome: 'failed', failure: '{"reason":"job","code":"content_rejected"}' }],
    ['still_running', { stage: 'submitted', outcome: null, settled_at_ms: null }],
    ['not_found', { taken_back: 'deleted' }],
  ] as const)('is refused as %s', async (why, changes) => {
    const pipeline = await usePipeline({ start: false });
    const { id } = await useEnded(pipeline, 'a', changes);

    expect(await pipeline.jobs.desk.retry(OWN, id)).toEqual({ outcome: 'refused', why });
  });

  test('is refused when the files are no longer kept', async () => {
    const pipeline = await usePipeline({ start: false });
    const { id } = await useEnded(pipeline, 'a');
    await pipeline.jobs.desk.remove(OWN, id);
    const other = await useEnded(pipeline, 'b');
    await pipeline.db.kysely.updateTable('job_inputs').set({ path: null }).execute();

    expect(await pipeline.jobs.desk.retry(OWN, other.id)).toEqual({ outcome: 'refused', why: 'inputs_gone' });
  });
});

describe('cancelling', () => {
  test('before anything was sent ends the job and releases the hold, and the card says so', async () => {
    const pipeline = await usePipeline();
    const jobId = await pipeline.accept();

    const done = await pipeline.jobs.desk.cancel(OWN, jobId);
    await pipeline.until(jobId, 'settled');

    expect(done).toMatchObject({ outcome: 'took_back', when: 'before_sending' });
    expect(pipeline.asked.submit + pipeline.asked.upload).toBe(0);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(pipeline.publisher.cards).toMatchObject([
      { kind: 'failure', failure: { reason: 'cancelled' }, charged: 0 },
    ]);
  });

  test.each(['cancel', 'remove'] as const)(
    'a job that waits for room at the service (%s) ends it: it is not sent, and costs nothing',
    async (action) => {
      const pipeline = await usePipeline();
      pipeline.script.submit = [refuse(429, 'at_capacity')];
      const jobId = await pipeline.run();
      await pipeline.until(jobId, 'submitting');
      await expect
        .poll(async () => pipeline.asked.submit > 0 && (await pipeline.row(jobId)).lease_owner === null)
        .toBe(true);
      const asked = pipeline.asked.submit;

      const done = await pipeline.jobs.desk[action](OWN, jobId);
      await pipeline.until(jobId, 'settled');

      expect(done).toMatchObject({ outcome: 'took_back', when: 'before_sending' });
      expect(pipeline.asked.submit).toBe(asked);
      expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
    },
  );

  test('during a submit that finds no room ends the job before the next submit', async () => {
    const pipeline = await usePipeline();
    const full = refuse(429, 'at_capacity');
    let taken: unknown;
    const takenBack: Reply = async (request, response, read) => {
      taken = await pipeline.jobs.desk.cancel(OWN, jobId);
      return full(request, response, read);
    };
    pipeline.script.submit = [takenBack, jobState()];
    const jobId = await pipeline.run();

    await pipeline.until(jobId, 'settled');

    expect(taken).toMatchObject({ outcome: 'took_back', when: 'at_service' });
    expect(pipeline.asked.submit).toBe(1);
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(pipeline.publisher.cards).toMatchObject([{ failure: { reason: 'cancelled' }, charged: 0 }]);
  });

  test('by deleting while a file is on its way keeps nothing that arrives afterwards', async () => {
    const arrives = Promise.withResolvers<string>();
    const savedFaces = { pathOf: () => arrives.promise };
    const pipeline = await usePipeline({ sources: { savedFaces } });
    const { jobs, dataDir } = pipeline;
    const face = { field: 'face_key', option: 'face', kind: 'image' } as const;
    const inputs = [{ ...face, source: { from: 'saved_face', faceId: 'face_1' } as const }];
    const request = { ...OWN, capability: 'photo_swap', parameters: {}, inputs } as const;
    const outcome = await jobs.intake.accept(request);
    if (!outcome.accepted) throw new Error('Not taken on');
    await jobs.intake.acknowledged(outcome.jobId, null);
    await expect.poll(async () => (await pipeline.row(outcome.jobId)).lease_owner).not.toBeNull();

    await jobs.desk.remove(OWN, outcome.jobId);
    await pipeline.until(outcome.jobId, 'settled');
    const file = join(await useFolder(), 'face.png');
    await writeFile(file, await picture(80));
    arrives.resolve(file);

    await expect.poll(() => pipeline.logged.join('')).toContain('A lease was lost');
    expect(await readdir(join(dataDir, 'inputs'))).toEqual([]);
  });

  test('at the service never claims a refund: it is charged, and its result is not fetched', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ status: 'processing', output_url: null, charged_usd: null })];
    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'submitted');

    const done = await pipeline.jobs.desk.cancel(OWN, jobId);
    pipeline.script.job = [jobState()];
    const row = await pipeline.until(jobId, 'settled');

    expect(done).toMatchObject({ outcome: 'took_back', when: 'at_service' });
    expect(pipeline.asked.output).toBe(0);
    expect(row).toMatchObject({ result_path: null, charged_micros: 40_000 });
    expect(await pipeline.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
    expect(pipeline.publisher.cards).toMatchObject([
      { kind: 'failure', failure: { reason: 'cancelled' }, charged: 40_000 },
    ]);
    expect(await pipeline.jobs.desk.cancel(OWN, jobId)).toEqual({ outcome: 'refused', why: 'ended' });
  });

  test('by deleting a running job posts nothing, keeps nothing, and removes its card', async () => {
    const pipeline = await usePipeline();
    pipeline.script.job = [jobState({ status: 'processing', output_url: null, charged_usd: null })];
    const jobId = await pipeline.accept();
    await pipeline.jobs.intake.acknowledged(jobId, '42');
    await pipeline.until(jobId, 'submitted');
    const inputs = (await listJobInputs(pipeline.db.kysely, jobId)).flatMap(({ path }) => path ?? []);

    const done = await pipeline.jobs.desk.remove(OWN, jobId);
    pipeline.script.job = [jobState()];
    const row = await pipeline.until(jobId, 'settled');

    expect(done).toEqual({ outcome: 'took_back', when: 'at_service', isMessageGone: true });
    expect(pipeline.publisher.cards).toEqual([]);
    expect(pipeline.publisher.removed[0]).toEqual({ channelId: OWN.channelId, messageId: '42' });
    expect(inputs).toHaveLength(2);
    expect(await areGone(inputs)).toBe(true);
    expect(row).toMatchObject({ result_path: null, reply_message_id: null, charged_micros: 40_000 });
    expect(await pipeline.jobs.desk.show(OWN, jobId)).toEqual({ outcome: 'refused', why: 'not_found' });
  });

  test('by deleting an ended job removes its message and all files, also after a crash in between', async () => {
    const pipeline = await usePipeline({ start: false });
    const { id, files } = await useEnded(pipeline, 'a');
    pipeline.publisher.remove = () => Promise.reject(new Error('The chat is away'));

    const done = await pipeline.jobs.desk.remove(MODERATOR, id);
    expect(done).toEqual({ outcome: 'took_back', when: 'ended', isMessageGone: false });

    pipeline.publisher.remove = (message) => {
      pipeline.publisher.removed.push(message);
      return Promise.resolve(true);
    };
    await pipeline.jobs.start();
    await expect.poll(() => pipeline.row(id)).toMatchObject({ result_path: null, result_message_id: null });
    expect(pipeline.publisher.removed).toEqual([{ channelId: OWN.channelId, messageId: '11' }]);
    expect(await areGone(files)).toBe(true);
  });
});

describe('a result whose card the chat does not accept', () => {
  test.each([
    'channel_gone',
    'guild_gone',
    'missing_access',
    'missing_permission',
    'cannot_message_user',
    'no_shared_guild',
    'blocked_by_automod',
    'explicit_content',
  ])('for %s is kept, not posted again, and available at the desk', async (reason) => {
    const pipeline = await usePipeline();
    pipeline.publisher.answers = [() => Promise.resolve({ outcome: 'undeliverable', reason })];

    const jobId = await pipeline.run();
    await pipeline.until(jobId, 'settled');

    expect(pipeline.publisher.cards).toHaveLength(1);
    expect(await pipeline.jobs.desk.show(OWN, jobId)).toMatchObject({
      outcome: 'shown',
      job: { outcome: 'succeeded', isKept: true, undelivered: reason },
      file: { mime: 'image/png', name: 'photo-swap.png' },
    });
  });
});

describe('a report', () => {
  test('is stored once per member, and only of results', async () => {
    const pipeline = await usePipeline({ start: false });
    const { desk } = pipeline.jobs;
    const { id } = await useEnded(pipeline, 'a');
    const failed = await useEnded(pipeline, 'b', { outcome: 'failed', failure: '{"reason":"internal"}' });

    expect(await desk.report(STRANGER, id)).toEqual({ outcome: 'reported', isNew: true });
    expect(await desk.report(STRANGER, id)).toEqual({ outcome: 'reported', isNew: false });
    expect(await desk.report(MODERATOR, id)).toEqual({ outcome: 'reported', isNew: true });
    expect(await desk.report(STRANGER, failed.id)).toEqual({ outcome: 'refused', why: 'no_result' });
    expect(await pipeline.db.kysely.selectFrom('reports').select('reporter_id').execute()).toHaveLength(2);
    expect(pipeline.logged.join('\n').split('A result was reported')).toHaveLength(2);
  });
});
