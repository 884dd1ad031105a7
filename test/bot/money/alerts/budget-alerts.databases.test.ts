import { expect, test } from 'vitest';
import { releaseAlerts } from '../../../../db/queries/budget-alerts.ts';
import { DiscordAlertChannels } from '../../../../src/bot/discord/cards/discord-alert-channels.ts';
import { micros } from '../../../../src/base/money.ts';
import { runTogether } from '../../../db/use-processes.ts';
import { type AlertBench, useAlerts } from './use-alerts.ts';

const HOUR_MS = 3_600_000;

function texts({ channel }: AlertBench): string[] {
  return channel.messages.map(({ text }) => text);
}

test('an alert says which budget, what is charged, set aside and left, when it resets and what to do, and pings nobody', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  await bench.reached(80);
  await bench.startsSender();

  await expect.poll(() => texts(bench)).toHaveLength(1);
  const [message] = bench.channel.messages;
  expect(message?.text).toContain('80 % of the daily budget is charged or set aside');
  expect(message?.text).toContain(
    '**$0.20** of **$0.30** is charged, and **$0.04** is set aside for what is running.',
  );
  expect(message?.text).toContain('**$0.06** is left');
  expect(message?.text).toMatch(/It resets <t:1795392000:F> \(<t:1795392000:R>\)/);
  expect(message?.text).toContain('`/budget set`');
  expect(message?.text).toContain('`/spend`');
  expect(message?.mentions).toEqual([]);
  await expect.poll(() => bench.unsent()).toBe(0);
});

test('only the highest of several parts that were reached at once is sent', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  await bench.reached(50);
  await bench.reached(80);
  await bench.reached(100);
  await bench.startsSender();

  await expect.poll(() => bench.unsent()).toBe(0);
  expect(texts(bench)).toEqual([expect.stringContaining('Nothing is left of the daily budget')]);
});

test('alerts of roles and members name the member without a ping; those of allowances name who can raise them', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  const own = { id: 'a', user_id: '77', capability: 'photo_swap' } as const;
  await bench.reached(50, { ...own, target_kind: 'role', target_id: '88' });
  await bench.reached(80, { ...own, id: 'b', target_kind: 'member', target_id: '77' });
  await bench.reached(50, { id: 'c', target_kind: 'operator', period: 'total', ends_at_ms: 8e15 });
  await bench.startsSender();

  await expect.poll(() => texts(bench)).toHaveLength(3);
  const all = texts(bench).join('\n');
  expect(all).toContain("50 % of a member's budget is charged");
  expect(all).toContain('<@&88>, of which this is about <@77>');
  expect(all).toContain('The daily budget for Photo Swap of <@77>');
  expect(all).toContain('Only whoever runs this bot can raise it.');
  expect(all).toContain('It never resets.');
  expect(bench.channel.messages.flatMap(({ mentions }) => mentions)).toEqual([]);
});

test('without a channel nothing is posted; a channel that is chosen later gets one alert with the current figures', async () => {
  const bench = await useAlerts();
  await bench.reached(50);
  await bench.reached(80);
  await bench.startsSender();
  await expect.poll(() => bench.waiting()).toBe(1);
  await bench.clock.advance(HOUR_MS);
  expect(texts(bench)).toEqual([]);

  await bench.chose(bench.channel.id);
  await bench.db.transaction(`guild:${bench.guildId}`, (trx) =>
    releaseAlerts(trx, bench.guildId, bench.clock.now()),
  );

  const later = async (): Promise<string[]> => {
    await bench.clock.advance(10_000);
    return texts(bench);
  };
  await expect.poll(later).toEqual([expect.stringContaining('80 % of the daily budget')]);
});

test('an alert for which no channel is chosen in its period is never sent', async () => {
  const bench = await useAlerts();
  await bench.reached(50);
  await bench.startsSender();
  await expect.poll(() => bench.waiting()).toBe(1);
  await bench.clock.advance(14 * HOUR_MS);
  await bench.chose(bench.channel.id);

  await expect
    .poll(async () => {
      await bench.clock.advance(10_000);
      return bench.unsent();
    })
    .toBe(0);
  expect(texts(bench)).toEqual([]);
});

test('alerts of windows that ended long ago are deleted when the next one is sent', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  const longAgoMs = bench.clock.now() - 100 * 24 * HOUR_MS;
  const old = { starts_at_ms: longAgoMs, ends_at_ms: longAgoMs + 1, told_at_ms: longAgoMs + 1 };
  await bench.reached(50, { id: 'old', ...old });
  await bench.reached(50);
  await bench.startsSender();

  await expect.poll(() => bench.unsent()).toBe(0);
  const left = await bench.db.kysely.selectFrom('budget_alerts').select('id').execute();
  expect(left.map(({ id }) => id)).toEqual([`alert_${bench.guildId}_50`]);
});

test.each([
  ['at once', 0],
  ['when Discord has forgotten the nonce', 2 * HOUR_MS],
])(
  'a crash between post and record leaves one message, though it is tried again %s',
  async (_name, laterMs) => {
    const bench = await useAlerts();
    await bench.chose(bench.channel.id);
    const { id } = await bench.reached(50);
    // This is the state that a process leaves if it posts the alert and dies before it can record that.
    const channel = new DiscordAlertChannels({ client: bench.client });
    await channel.sendBudgetAlert(
      bench.channel.id,
      {
        id,
        guildId: bench.guildId,
        target: { kind: 'guild' },
        capability: null,
        period: 'day',
        limit: micros(300_000),
        userId: null,
        percent: 50,
        posted: micros(110_000),
        pending: micros(40_000),
        madeAtMs: bench.clock.now(),
        resetsAtMs: null,
      },
      { isRepeat: false, signal: new AbortController().signal },
    );
    await bench.db.kysely.updateTable('budget_alerts').set({ attempts: 1 }).execute();
    await bench.clock.advance(laterMs);

    await bench.startsSender();
    await expect.poll(() => bench.unsent()).toBe(0);
    expect(texts(bench)).toHaveLength(1);
  },
);

test('a lost answer of Discord leaves one message', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  await bench.reached(50);
  const route = '/channels/:channelId/messages';
  bench.sandbox.faults.failNext({ method: 'POST', route, status: 'cut', moment: 'after', times: 4 });
  await bench.startsSender();
  await expect.poll(() => bench.logged.join('\n')).toContain('Cannot send an alert');
  bench.sandbox.faults.clear();
  // The failure is logged before the time of the next attempt is stored, so the clock may have to be advanced more than
  // once.
  const later = async (): Promise<number> => {
    await bench.clock.advance(60_000);
    return bench.unsent();
  };

  await expect.poll(later).toBe(0);
  expect(texts(bench)).toHaveLength(1);
});

test('an alert for a channel that is gone or closed to the bot ends with a line in the log', async () => {
  const bench = await useAlerts();
  await bench.chose('123456789012345678');
  await bench.reached(50);
  await bench.startsSender();
  await expect.poll(() => bench.unsent()).toBe(0);
  bench.channel.forbids('bot', 'SEND_MESSAGES');
  await bench.chose(bench.channel.id);
  await bench.reached(80);
  await bench.clock.advance(10_000);
  await expect.poll(() => bench.unsent()).toBe(0);

  expect(bench.logged.filter((line) => line.includes('given up'))).toEqual([
    expect.stringContaining('channel_gone'),
    expect.stringContaining('missing_permission'),
  ]);
  expect(bench.sandbox.takeViolations()).toHaveLength(1);
});

test('two processes that send at the same time post each alert once', async () => {
  const bench = await useAlerts();
  await bench.chose(bench.channel.id);
  for (let index = 0; index < 5; index++) {
    await bench.reached(50, { id: `alert_${index}`, capability: `capability_${index}` });
  }
  const args = [bench.databaseUrl, bench.sandbox.apiUrl, bench.sandbox.token, String(bench.clock.now())];
  await runTogether(new URL('alert-process.ts', import.meta.url), 2, args);

  // The processes share the channel's rate limit, but each of them learns about it separately.
  bench.sandbox.takeViolations(({ kind }) => kind === 'rate_limited');
  expect(await bench.unsent()).toBe(0);
  const told = bench.channel.messages.map(({ text }) => /capability_\d+/.exec(text)?.[0]);
  expect(told).toHaveLength(5);
  expect(new Set(told).size).toBe(5);
});
