import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { Masquerade } from '../../../../src/compose/masquerade-options.ts';
import type { Report } from '../../../../src/bot/money/reconciliation/report.ts';
import { ApiClient } from '../../../media-server/api-client.ts';
import { type Community, sample, useCommunity } from '../../../helpers/use-community.ts';

const JOB = 40_000;

async function swaps({ ada, general }: Community, count: number): Promise<void> {
  const image = await sample('portrait-man-dark-hair.jpg');
  for (let index = 0; index < count; index++) {
    const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
    await use.replyWhere((message) => message.attachments.length === 1);
  }
}

/** Waits until the books contain everything that members were shown, and then compares. */
async function compare({ guild }: Community, bot: Masquerade): Promise<Report> {
  await vi.waitFor(async () => expect((await bot.reconciliation.run())?.books.pending).toBe(0));
  const report = await bot.reconciliation.latest();
  if (!report) throw new Error(`Nothing was compared in ${guild.id}`);
  return report;
}

async function spentOf({ guild }: Community, bot: Masquerade): Promise<number> {
  const { limit, left } = await bot.budget(guild.id);
  return limit - left;
}

async function restarted(place: Community): Promise<Masquerade> {
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  return bot;
}

test('the books agree with the service, and other use of the account belongs to no guild', async () => {
  const place = await useCommunity();
  await vi.waitFor(async () => expect(await place.bot.reconciliation.latest()).toBeDefined());
  await swaps(place, 3);
  expect(await compare(place, place.bot)).toMatchObject({
    isComplete: true,
    difference: 0,
    heldAtService: 0,
    service: { spent: 3 * JOB },
    books: { spent: 3 * JOB, foreign: 0 },
  });

  const somebody = new ApiClient(place.media.baseUrl, place.media.apiKey);
  const { id } = await somebody.submit(await somebody.photoSwapBody());
  await vi.waitFor(async () => expect((await somebody.job(id)).charged_usd).toBe(0.04));

  expect(await compare(place, place.bot)).toMatchObject({
    difference: 0,
    service: { spent: 4 * JOB },
    books: { spent: 3 * JOB, foreign: JOB },
  });
  expect(await spentOf(place, place.bot)).toBe(3 * JOB);
});

test('jobs that are missing from a restored snapshot are found in the usage log, and reported as other use', async () => {
  const place = await useCommunity();
  const path = join(place.dataDir, 'masquerade.db');
  await swaps(place, 3);
  await compare(place, place.bot);
  await place.bot[Symbol.asyncDispose]();
  await copyFile(path, `${path}.snapshot`);
  const later = await restarted(place);
  await swaps(place, 2);
  expect((await compare(place, later)).books).toEqual({ spent: 5 * JOB, pending: 0, foreign: 0 });
  await later[Symbol.asyncDispose]();
  for (const suffix of ['-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
  await copyFile(`${path}.snapshot`, path);

  const restored = await restarted(place);

  expect(await compare(place, restored)).toMatchObject({
    difference: 0,
    service: { spent: 5 * JOB },
    books: { spent: 3 * JOB, foreign: 2 * JOB },
  });
  await compare(place, restored);
  expect(await spentOf(place, restored)).toBe(3 * JOB);
});
