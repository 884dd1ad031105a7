import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { aPicture } from '../../../whole/menus/use-menus.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';
import { deletes, swap, traces, untilRemoved } from './use-deletion.ts';

/** Has `of` post a picture and `who` choose it for a swap. Returns the bot's private reply to `who`. */
async function picks({ general }: Community, who: SandboxMember, of: SandboxMember): Promise<MessageView> {
  const message = await of.says('Look', { in: general, files: [await aPicture('look.png')] });
  return (await who.runsOn('Use in a swap', message, { in: general })).replied();
}

/** Returns bytes from the middle of a file, which no other file contains. */
async function middleOf(path: string | null): Promise<Buffer> {
  const bytes = await readFile(path ?? '');
  return bytes.subarray(bytes.length / 2, bytes.length / 2 + 64);
}

test('leaves no chosen, reported, repeated or shrunk file of the member, and deletes no file of others', async () => {
  const community = await useCommunity();
  // The upload limit is so small that the result is posted as a smaller copy.
  const guild = community.sandbox.addGuild('Small place', { attachmentSizeLimitBytes: 45_000 });
  const place = {
    ...community,
    guild,
    general: guild.addTextChannel('general'),
    ada: guild.addMember('Ada'),
  };
  const { ada, dataDir } = place;
  const ben = guild.addMember('Ben');
  const bens = await swap(ben, place, 'portrait-man-elderly.jpg');
  const posted = await swap(ada, place, 'no-face-landscape.jpg');
  await swap(ada, place, 'no-face-landscape.jpg');
  await picks(place, ada, ben);
  await picks(place, ben, ada);
  const kept = await picks(place, ben, ben);
  await (await ada.presses('Report', { on: bens })).replied();
  await (await ben.presses('Report', { on: posted })).replied();
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const { kysely } = db;
  const job = await kysely
    .selectFrom('jobs')
    .selectAll()
    .where('result_message_id', '=', posted.id)
    .executeTakeFirstOrThrow();
  const personal = [ada.id, posted.id, await middleOf(job.result_path), await middleOf(job.chat_path)];
  const reused = await kysely.selectFrom('job_inputs').select('job_id').where('reuse', '=', 'used').execute();
  expect(reused).toHaveLength(2);
  expect(await traces(place, personal)).not.toEqual([]);

  await deletes(place);
  await untilRemoved(place);

  await expect.poll(() => traces(place, personal), { timeout: 10_000 }).toEqual([]);
  const left = await kysely.selectFrom('picks').select('user_id').execute();
  expect(left).toEqual([{ user_id: ben.id }]);
  expect(await kysely.selectFrom('reports').select('reporter_id').execute()).toEqual([
    { reporter_id: ben.id },
  ]);
  const uploaded = await kysely.selectFrom('uploads').select('user_id').execute();
  expect(uploaded).toEqual([{ user_id: ben.id }, { user_id: ben.id }]);
  const gone = await kysely.selectFrom('jobs').selectAll().where('id', '=', job.id).executeTakeFirstOrThrow();
  expect([gone.chat_path, gone.chat_mime, gone.result_mime, gone.result_bytes, gone.undelivered]).toEqual(
    Array(5).fill(null),
  );
  await (await ben.presses('Photo Swap: as the picture', { on: kept })).acknowledged();
});
