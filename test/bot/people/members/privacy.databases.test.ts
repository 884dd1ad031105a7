import { expect, test } from 'vitest';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { type Community, sample, useCommunity } from '../../../helpers/use-community.ts';

async function privacy(
  { ada, general }: Community,
  subcommand: string,
  options: Record<string, boolean> = {},
): Promise<MessageView> {
  return (await ada.runs(`/privacy ${subcommand}`, { in: general, options })).replied();
}

async function swapAndSave({ ada, general }: Community): Promise<MessageView> {
  const image = await sample('portrait-man-dark-hair.jpg');
  const options = { picture: image, name: 'Me' };
  const asked = await (await ada.runs('/face save', { in: general, options })).replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('is saved for you alone');
  const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
  return use.replyWhere((message) => message.attachments.length === 1);
}

test('shows a member privately, in numbers and dates, what is stored about them', async () => {
  const place = await useCommunity();

  const empty = await privacy(place, 'see');
  await swapAndSave(place);
  const seen = await privacy(place, 'see');

  expect(seen.flags.ephemeral).toBe(true);
  expect(empty.text).toContain('**Commands**: 0 in all servers; 0 of them still running');
  expect(seen.text).toMatch(/\*\*Commands\*\*: 1 in all servers, since <t:\d+:D>;/);
  expect(seen.text).toContain('**Kept results**: 1, each for 30 days');
  expect(seen.text).toContain('**Saved faces**: 1.');
});

test('exports all data as a file, without keys, tokens, signed links and data of others', async () => {
  const place = await useCommunity();
  const { ada, guild, general, media } = place;
  const posted = await swapAndSave(place);
  const ben = guild.addMember('Ben');
  const image = await sample('portrait-man-dark-hair.jpg');
  const bens = await ben.runs('/photo-swap', { in: general, options: { image, face: image } });
  await bens.replyWhere((message) => message.attachments.length === 1);

  const answer = await privacy(place, 'export');
  const [file] = answer.attachments;
  const text = Buffer.from(file?.bytes() ?? []).toString('utf8');

  expect(file?.filename).toBe('my-data.json');
  expect(JSON.parse(text)).toMatchObject({
    user_id: ada.id,
    never_swap_my_face_since: null,
    saved_faces: [{ name: 'Me', agreed_to_text: 'face-1', scope: 'all_servers', is_default: true }],
    jobs: [{ what: 'photo_swap', server_id: guild.id, message_id: posted.id, charged: '$0.04' }],
  });
  for (const secret of [ben.id, media.apiKey, 'http', 'token', 'callback', 'idempotency']) {
    expect(text).not.toContain(secret);
  }
});

test('disables saved faces while the face must never be swapped, or deletes them on request', async () => {
  const place = await useCommunity();
  const { ada, general } = place;
  await swapAndSave(place);
  const faces = async () => (await (await ada.runs('/face list', { in: general })).replied()).text;

  const set = await privacy(place, 'never-swap', { on: true });
  const resting = await faces();
  const suggested = await ada.completes('/face default', { in: general, option: 'name', typed: 'me' });
  await ada.presses('Delete my saved faces too', { on: set });
  await expect.poll(() => set.text).toContain('are gone');
  await privacy(place, 'never-swap', { on: false });

  expect(resting).toContain('They rest');
  expect(suggested).toEqual([]);
  expect(await faces()).toContain('No saved faces');
});

test('asks before any data is deleted, and keeps it all if the member cancels', async () => {
  const place = await useCommunity();
  const posted = await swapAndSave(place);

  const asked = await privacy(place, 'delete');
  await place.ada.presses('Cancel', { on: asked });
  await expect.poll(() => asked.text).toContain('Everything stays as it is.');

  expect(posted.deleted).toBe(false);
  expect((await privacy(place, 'see')).text).toContain('**Saved faces**: 1.');
});
