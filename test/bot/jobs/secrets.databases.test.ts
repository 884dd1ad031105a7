import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import type { Exchange } from '../../../src/sandbox/rest-exchange.ts';
import { sample, useCommunity } from '../../helpers/use-community.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

test('keeps keys, secrets, tokens and signed links out of logs, chat and settled jobs', async () => {
  const logged: string[] = [];
  const exchanges: Exchange[] = [];
  const logger = recordingLogger(logged);
  const { ada, general, media, sandbox, dataDir } = await useCommunity({
    bot: { logger },
    media: { logger },
    sandbox: { observe: (exchange) => void exchanges.push(exchange) },
  });
  const good = await sample('portrait-man-dark-hair.jpg');
  const bad = { name: 'secret-holiday.png', bytes: Buffer.from('not a picture') };
  const swap = (image: typeof good) =>
    ada.runs('/photo-swap', { in: general, options: { image, face: good } });

  await (await swap(good)).replyWhere((message) => message.attachments.length === 1);
  await (await swap(bad)).replyWhere((message) => message.text.includes('not a picture'));
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const jobs = () => db.kysely.selectFrom('jobs').selectAll().execute();
  await expect.poll(async () => (await jobs()).map(({ stage }) => stage)).toEqual(['settled', 'settled']);

  const secrets = [media.apiKey, media.signingSecret, sandbox.token, 'secret-holiday'];
  const links = [/[?&](sig|signature|hm|token)=/, /api\/[a-z0-9_]{20,}/];
  const log = logged.join('\n');
  const chat = general.messages.map((message) => JSON.stringify(message.toJSON()['embeds'])).join('\n');
  const rows = JSON.stringify([
    await jobs(),
    await db.kysely.selectFrom('webhook_deliveries').selectAll().execute(),
  ]);
  expect(logged.length).toBeGreaterThan(4);
  for (const secret of secrets) {
    for (const text of [log, chat, rows]) expect(text.includes(secret)).toBe(false);
  }
  expect(log).not.toMatch(links[0] ?? /./);
  expect(rows).not.toMatch(links[0] ?? /./);
  const bodies = exchanges.map(({ requestBody }) => inspect(requestBody, { depth: 10 })).join('\n');
  for (const link of links) expect(bodies).not.toMatch(link);
  expect(bodies).not.toContain(media.apiKey);
});
