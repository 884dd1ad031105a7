import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { connectChatPage } from '../../../src/program/roles/chat-page.ts';
import type { PageUpload } from '../../../src/sandbox/page/use-views.ts';
import type { PageWire, PageWireEntry } from '../../../src/sandbox/page/wire-views.ts';
import { sample, useCommunity } from '../../helpers/use-community.ts';
import { usePage } from './use-page.ts';

/** Requests with which the bot reads its account after startup; they belong to no use of the bot. */
const OF_ACCOUNT = /^GET \/api\/v1\/(usage|balance)/;

test('a late webhook, and everything else about a job, belongs to the use that made the job', async () => {
  const clock = new FakeClock(Date.now());
  const { sandbox, media, guild, general, ada, engine } = await useCommunity({ media: { clock } });
  const connected = connectChatPage(sandbox, media.faults);
  onTestFinished(() => connected[Symbol.dispose]());
  const page = await usePage(sandbox);
  const post = async (path: string, body: object): Promise<void> => {
    const { status } = await page.post(`/guilds/${guild.id}/members/${ada.id}${path}`, body);
    expect(status).toBe(200);
  };
  const upload = async (name: string): Promise<{ file: { upload_id: string } }> => {
    const { bytes } = await sample(name);
    return { file: { upload_id: (await page.upload<PageUpload>(name, bytes)).body.upload_id } };
  };
  const options = {
    image: await upload('portrait-man-dark-hair.jpg'),
    face: await upload('portrait-woman-brown-hair.jpg'),
  };
  const entries = async (of: Partial<PageWireEntry>): Promise<readonly PageWireEntry[]> => {
    const { body } = await page.get<PageWire>('/wire');
    return body.entries.filter(({ source, what }) => source === of.source && what === (of.what ?? what));
  };
  media.faults.losesNextWebhook = true;
  engine.pause();
  await post('/runs', { command: '/photo-swap', in: general.id, options });
  await expect
    .poll(() => entries({ what: 'POST /api/v1/face-swap-image', source: 'media_api' }))
    .toHaveLength(1);
  await post('/says', { content: 'Something else meanwhile', in: general.id });
  engine.release();
  await expect.poll(() => media.faults.losesNextWebhook).toBe(false);
  expect(await entries({ source: 'webhook' })).toEqual([]);
  const afterASecond = async (): Promise<readonly PageWireEntry[]> => {
    await clock.advance(1_000);
    return entries({ source: 'webhook' });
  };
  await expect.poll(afterASecond, { timeout: 15_000 }).toMatchObject([{ action: 1, status: 'verified' }]);
  const charge = { source: 'ledger', what: 'charge: pending to spent' } as const;
  await expect.poll(() => entries(charge)).toHaveLength(1);
  for (const source of ['media_api', 'ledger'] as const) {
    const aboutJob = (await entries({ source })).filter(({ what }) => !OF_ACCOUNT.test(what));
    expect(new Set(aboutJob.map(({ action }) => action))).toEqual(new Set([1]));
  }
  const { body } = await page.get<PageWire>('/wire');
  expect(body.action).toBe(2);
  const secrets = [media.apiKey, media.signingSecret, sandbox.token, page.cookie];
  for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
  expect(JSON.stringify(body)).not.toMatch(/interaction_|cb_|job_|sig=|hm=|portrait/);
});
