import { expect, test } from 'vitest';
import { insertFace, saveFace } from '../../../../db/queries/faces.ts';
import { putInputOwners } from '../../../../db/queries/input-owners.ts';
import { insertJobInputs } from '../../../../db/queries/job-inputs.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { InputSource } from '../../../../src/bot/jobs/inputs/inputs.ts';
import type { AccessRefusal } from '../../../../src/bot/jobs/intake/refusals.ts';
import { ownerRow, ownersOf, ownersOfMessage } from '../../../../src/bot/jobs/inputs/owners-of-inputs.ts';
import { inputRows } from '../../../../src/bot/jobs/inputs/input-rows.ts';
import { ConsentStore } from '../../../../src/bot/people/members/consent-store.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { JobRequest } from '../../../../src/bot/jobs/job-request.ts';

const ADA = '100';
const BEN = '200';
const CAT = '300';

const inGuild = (guildId: string, userId: string) => anOrigin({ guildId, userId });
const adaSays = inGuild('1', ADA);

async function useConsents() {
  const db = await useDatabase();
  const consents = new ConsentStore({ db, clock: systemClock });
  const refusal = (userId: string, source: InputSource, guildId = '1'): Promise<AccessRefusal | null> => {
    const input = { field: 'face_key', option: 'face', kind: 'image', source } as const;
    const request: JobRequest = {
      ...inGuild(guildId, userId),
      capability: 'photo_swap',
      inputs: [input],
      parameters: {},
    };
    return db.transaction('guild:guild', async (trx) =>
      consents.refuses(trx, request, await ownersOf(trx, source)),
    );
  };
  return { db, consents, refusal };
}

const ofAda = (kind: 'avatar' | 'message'): InputSource => ({
  from: 'chat',
  url: 'https://cdn.example/a.png',
  sizeBytes: null,
  of: { kind, userId: ADA },
});

test('lets only the owner use an avatar until the owner allows it, in that server only', async () => {
  const { consents, refusal } = await useConsents();
  const asked = { rule: 'avatar_not_allowed', ownerId: ADA };

  expect(await refusal(ADA, ofAda('avatar'))).toBeNull();
  expect(await refusal(BEN, ofAda('avatar'))).toEqual(asked);
  await consents.answerAvatar(adaSays, { allow: 'everybody' });
  expect(await refusal(BEN, ofAda('avatar'))).toBeNull();
  expect(await refusal(BEN, ofAda('avatar'), '2')).toEqual(asked);
  await consents.answerAvatar(adaSays, { allow: 'nobody' });
  expect(await refusal(BEN, ofAda('avatar'))).toEqual(asked);
});

test('can be given to one member only', async () => {
  const { db, consents } = await useConsents();

  await consents.answerAvatar(adaSays, { allow: 'user', userId: BEN });

  expect(await consents.mayUseAvatar('1', ADA, BEN)).toBe(true);
  expect(await consents.mayUseAvatar('1', ADA, CAT)).toBe(false);
  expect(await db.kysely.selectFrom('avatar_consents').selectAll().execute()).toMatchObject([
    { text_version: 'avatar-1', given_at_ms: expect.any(Number) },
  ]);
});

test('accepts no picture of a member whose face must never be swapped', async () => {
  const { consents, refusal } = await useConsents();
  await consents.answerAvatar(adaSays, { allow: 'everybody' });

  await consents.setNeverSwap(ADA, true);

  expect(await refusal(BEN, ofAda('avatar'))).toEqual({ rule: 'never_swap', ownerId: ADA });
  expect(await refusal(BEN, ofAda('message'))).toEqual({ rule: 'never_swap', ownerId: ADA });
  expect(await refusal(ADA, ofAda('avatar'))).toEqual({ rule: 'own_never_swap' });
  await expect(consents.answerAvatar(adaSays, { allow: 'everybody' })).rejects.toMatchObject({
    code: 'never_swap',
  });
  await consents.setNeverSwap(ADA, false);
  expect(await refusal(BEN, ofAda('message'))).toBeNull();
});

test('lets members use faces that they saved themselves, while those exist and may be swapped', async () => {
  const { db, consents, refusal } = await useConsents();
  await db.transaction('guild:guild', async (trx) => {
    const common = { user_id: ADA, state: 'pending', url: 'https://cdn.example/a.png' } as const;
    const attested = { size_bytes: 1, attested_at_ms: 2, text_version: 'face-1', scope: 'all_servers' };
    await insertFace(trx, { ...common, id: 'face_saved', name: 'Me', created_at_ms: 1 });
    await saveFace(trx, 'face_saved', attested);
    await insertFace(trx, { ...common, id: 'face_pending', name: 'Other', created_at_ms: 1 });
  });
  const face = (faceId: string): InputSource => ({ from: 'saved_face', faceId });

  expect(await refusal(ADA, face('face_saved'))).toBeNull();
  expect(await refusal(BEN, face('face_saved'))).toEqual({ rule: 'face_gone' });
  expect(await refusal(ADA, face('face_pending'))).toEqual({ rule: 'face_gone' });
  expect(await refusal(ADA, face('face_none'))).toEqual({ rule: 'face_gone' });
  await consents.setNeverSwap(ADA, true);
  expect(await refusal(ADA, face('face_saved'))).toEqual({ rule: 'own_never_swap' });
});

/** Creates a job for Ada whose input is her saved face, and whose result the bot posted. */
async function useFaceOfAda() {
  const place = await useConsents();
  await place.db.transaction('guild:guild', async (trx) => {
    await insertFace(trx, {
      id: 'face_ada',
      name: 'Me',
      user_id: ADA,
      state: 'pending',
      url: 'https://cdn.example/a.png',
      created_at_ms: 1,
    });
    const attested = { size_bytes: 1, attested_at_ms: 2, text_version: 'face-1', scope: 'all_servers' };
    await saveFace(trx, 'face_ada', attested);
    const changes = { guild_id: '1', user_id: ADA, result_message_id: '77' };
    const { job } = await insertJob(trx, aJob('a', changes));
    const face: InputSource = { from: 'saved_face', faceId: 'face_ada' };
    const input = { field: 'face_key', option: 'face', kind: 'image', source: face } as const;
    await insertJobInputs(trx, inputRows(job.id, [input]));
    const owners = await ownersOf(trx, face);
    await putInputOwners(
      trx,
      owners.map((owner) => ownerRow({ jobId: job.id, field: 'face_key' }, owner)),
    );
  });
  return place;
}

const JOB = { jobId: 'job_a' };
/** For each kind of input source, one that leads to Ada's face. For `newest`, this is the message that is found. */
const WAYS: Readonly<Record<InputSource['from'], InputSource | 'message'>> = {
  chat: ofAda('message'),
  newest: 'message',
  saved_face: { from: 'saved_face', faceId: 'face_ada' },
  result: { from: 'result', ...JOB },
  input: { from: 'input', ...JOB, field: 'face_key' },
};

test.each(Object.entries(WAYS))(
  '"never swap" covers the result made from a saved face, as a source of %s',
  async (from, way) => {
    const { db, consents, refusal } = await useFaceOfAda();
    const mayUse = async (userId: string): Promise<boolean> =>
      way === 'message'
        ? consents.allow(
            { guildId: '1', userId },
            await ownersOfMessage(db.kysely, { messageId: '77', authorId: 'the bot', isOwn: true }),
          )
        : (await refusal(userId, way)) === null;
    const others = from !== 'saved_face';
    expect([await mayUse(ADA), await mayUse(BEN)]).toEqual([true, others]);

    await consents.setNeverSwap(ADA, true);

    expect([await mayUse(ADA), await mayUse(BEN)]).toEqual([false, false]);
    await consents.setNeverSwap(ADA, false);
    expect([await mayUse(ADA), await mayUse(BEN)]).toEqual([true, others]);
  },
);
