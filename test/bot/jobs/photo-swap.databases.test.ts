import { createServer } from 'node:http';
import { once } from 'node:events';
import { crc32, deflateSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, sample, useCommunity } from '../../helpers/use-community.ts';

async function swap(community: Pick<Community, 'ada' | 'general'>): ReturnType<Community['ada']['runs']> {
  const options = {
    image: await sample('portrait-man-dark-hair.jpg'),
    face: await sample('portrait-woman-brown-hair.jpg'),
  };
  return community.ada.runs('/photo-swap', { in: community.general, options });
}

/** Accepts every request, and never responds with a 2xx status. */
async function useBlackHole(): Promise<{ url: string; requests(): number }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

describe('/photo-swap', () => {
  test('turns two pictures into a posted result', async () => {
    const community = await useCommunity();

    const use = await swap(community);
    await use.acknowledged({ withinMs: 1_000 });
    const reply = await use.replyWhere((message) => message.attachments.length === 1);

    expect(reply.text).toContain('AI-altered media');
    expect(reply.text).toContain(`<@${community.ada.id}>`);
    expect(reply.text).toContain('$0.04');
    expect(reply.text).toContain('$9.96 of $10.00');
    expect(reply.attachments[0]?.contentType).toBe('image/jpeg');
    expect(community.general.messages).toHaveLength(1);
  });

  test('arrives by polling when every webhook is lost', async () => {
    const blackHole = await useBlackHole();
    const community = await useCommunity({
      bot: { publicUrl: blackHole.url, jobLimits: { webhookMsMin: 300, pollMsFirst: 200 } },
    });

    const reply = await (await swap(community)).replyWhere((message) => message.attachments.length === 1);

    expect(reply.text).toContain('$0.04');
    expect(blackHole.requests()).toBeGreaterThan(0);
  });

  test('arrives by webhook when there are no polls', async () => {
    const community = await useCommunity({ bot: { jobLimits: { webhookMsMin: 3_600_000 } } });

    const reply = await (await swap(community)).replyWhere((message) => message.attachments.length === 1);

    expect(reply.text).toContain('$0.04');
  });

  test('arrives by polling when no webhook was requested', async () => {
    const community = await useCommunity({
      bot: ({ publicUrl: _none, ...usual }) => ({ ...usual, jobLimits: { pollMsFirst: 100 } }),
    });

    const reply = await (await swap(community)).replyWhere((message) => message.attachments.length === 1);

    expect(reply.text).toContain('$0.04');
  });

  test('explains a command that the budget does not cover, with what is left and when it resets', async () => {
    const limit = parseUsd('0.10');
    const community = await useCommunity({
      bot: { defaultBudget: { limit, period: 'month', timeZone: 'UTC' } },
    });
    await (await swap(community)).replyWhere((message) => message.attachments.length === 1);
    await (await swap(community)).replyWhere((message) => message.attachments.length === 1);

    const refused = await (await swap(community)).replied();

    expect(refused.text).toContain('monthly budget');
    expect(refused.text).toContain('$0.02');
    expect(refused.text).toMatch(/<t:\d+:F>/);
    expect(await balanceOf(community)).toBe(24.92);
  });
});

/** Creates a picture header with this size, but without any content to decode. */
function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(0))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

async function balanceOf({ media }: Community): Promise<number> {
  const answer = await fetch(`${media.baseUrl}/balance`, {
    headers: { authorization: `Bearer ${media.apiKey}` },
  });
  return ((await answer.json()) as { balance_usd: number }).balance_usd;
}

describe('bad input', () => {
  test.each([
    [
      'a text file named .png',
      { name: 'notes.png', bytes: Buffer.from('just some text, not a picture') },
      'not a picture',
    ],
    ['an empty file', { name: 'empty.png', bytes: Buffer.alloc(0) }, 'is empty'],
    ['a damaged picture', 'bad-image-truncated.jpg', 'seems to be damaged'],
  ])('explains %s and charges nothing', async (_name, file, words) => {
    const community = await useCommunity();
    const image = typeof file === 'string' ? await sample(file) : file;
    const face = { name: 'face.png', bytes: await picture(200) };

    const use = await community.ada.runs('/photo-swap', { in: community.general, options: { image, face } });
    const reply = await use.replyWhere((message) => message.text.includes(words));

    expect(reply.text).toContain('`image`');
    expect(reply.text).toContain('Nothing was charged.');
    expect(await balanceOf(community)).toBe(25);
  });

  test('refuses an 80-megapixel picture without decoding it', async () => {
    const community = await useCommunity();
    const image = { name: 'huge.png', bytes: hugePng(10_000, 8_000) };
    const face = { name: 'face.png', bytes: await picture(200) };

    const use = await community.ada.runs('/photo-swap', { in: community.general, options: { image, face } });
    const reply = await use.replyWhere((message) => message.text.includes('80 megapixels'));

    expect(reply.text).toContain('The most allowed is 50');
  });
});
