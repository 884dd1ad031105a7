import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { addMicros, parseUsd } from '../../../src/base/money.ts';
import { createCpuEngines } from '../../../src/media-server/engine/cpu/cpu-engines.ts';
import { sample, useCommunity } from '../../helpers/use-community.ts';

const COMMANDS = 20;

test(
  '20 commands at once in three guilds give 20 results, and both ledgers agree',
  { timeout: 60_000 },
  async () => {
    const engines = await createCpuEngines();
    onTestFinished(() => engines[Symbol.asyncDispose]());
    const { sandbox, media, bot, guild, dataDir } = await useCommunity({ media: { engines } });
    const guilds = [guild, sandbox.addGuild('Night radio'), sandbox.addGuild('Chess')];
    const places = guilds.map((own) => ({ in: own.addTextChannel('swaps'), member: own.addMember('Bo') }));
    const image = await sample('portrait-man-short-hair.png');
    const face = await sample('portrait-woman-curly-hair.jpg');

    const uses = await Promise.all(
      Array.from({ length: COMMANDS }, async (_, index) => {
        const place = places[index % places.length];
        if (!place) throw new TypeError('No such place');
        return place.member.runs('/photo-swap', { in: place.in, options: { image, face } });
      }),
    );
    const replies = await Promise.all(
      uses.map((use) => use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: 50_000 })),
    );

    expect(new Set(replies.map((reply) => reply.id)).size).toBe(COMMANDS);
    expect(places.flatMap((place) => place.in.messages)).toHaveLength(COMMANDS);
    const budgets = await Promise.all(guilds.map((own) => bot.budget(own.id)));
    const spent = addMicros(...budgets.map(({ limit, left }) => (limit - left) as typeof limit));
    const headers = { authorization: `Bearer ${media.apiKey}` };
    const balance = (await (await fetch(`${media.baseUrl}/balance`, { headers })).json()) as {
      total_spent_usd: number;
    };
    expect(parseUsd(balance.total_spent_usd)).toBe(spent);
    expect(spent).toBe(parseUsd('0.80'));
    await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
    const holds = await db.kysely.selectFrom('holds').select('state').execute();
    expect(holds.map((hold) => hold.state)).toEqual(Array.from({ length: COMMANDS }, () => 'posted'));
  },
);
