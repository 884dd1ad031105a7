import { RateLimitError } from 'discord.js';
import { expect, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useCommand } from './use-command.ts';

test('the sixth message within 5 seconds is rejected, with the time and the reason', async () => {
  const wireClock = new FakeClock();
  const sandbox = await useSandbox({ wireClock });
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const send = (): Promise<Response> =>
    fetch(`${sandbox.apiUrl}/v10/channels/${general.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${sandbox.token}`, 'content-type': 'application/json' },
      body: '{"content":"Hello"}',
    });
  const answers = [];
  for (let sent = 0; sent < 6; sent++) answers.push(await send());
  const [first, last] = [answers[0], answers[5]];

  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(first?.headers.get('x-ratelimit-remaining')).toBe('4');
  expect(first?.headers.get('x-ratelimit-reset-after')).toBe('5.000');
  expect(last?.headers.get('retry-after')).toBe('5');
  expect(last?.headers.get('x-ratelimit-scope')).toBe('user');
  expect(await last?.json()).toMatchObject({ retry_after: 5, global: false });
  await wireClock.advance(5000);
  expect((await send()).status).toBe(200);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'rate_limited' }]);
});

test('a token has 50 requests a second in all, but first answers to interactions do not count', async () => {
  const wireClock = new FakeClock();
  const sandbox = await useSandbox({ wireClock });
  const channels = Array.from({ length: 6 }, () => sandbox.addGuild('Club').addTextChannel('general'));
  const headers = { authorization: `Bot ${sandbox.token}` };
  const answers: Response[] = [];
  for (let sent = 0; sent < 51; sent++) {
    const channel = channels[sent % 6];
    answers.push(await fetch(`${sandbox.apiUrl}/v10/channels/${channel?.id}`, { headers }));
  }
  const callback = await fetch(`${sandbox.apiUrl}/v10/interactions/1/none/callback`, { method: 'POST' });

  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(50);
  expect(answers[50]?.headers.get('x-ratelimit-global')).toBe('true');
  expect(callback.status).toBe(404);
  expect(sandbox.takeViolations().map((entry) => entry.kind)).toEqual(['rate_limited', 'broken_rule']);
});

test('discord.js stays within the limits by the headers alone', async () => {
  const sandbox = await useSandbox();
  const { client, general } = await useCommand(sandbox);
  const channel = await client.channels.fetch(general.id);
  if (!channel?.isSendable()) throw new Error('Cannot send there');
  const message = await channel.send('0');
  await Promise.all(Array.from({ length: 12 }, () => message.fetch()));

  expect(sandbox.violations).toEqual([]);
});

test('a 429 that only the sandbox caused reaches the bot as such', async () => {
  const sandbox = await useSandbox();
  const { client, general } = await useCommand(sandbox);
  sandbox.faults.failNext({
    method: 'POST',
    route: '/channels/:channelId/messages',
    status: 429,
    headers: { 'retry-after': '1', 'x-ratelimit-scope': 'shared' },
    body: { message: 'You are being rate limited.', retry_after: 1, global: false, code: 0 },
  });
  client.rest.options.rejectOnRateLimit = () => true;
  const channel = await client.channels.fetch(general.id);
  if (!channel?.isSendable()) throw new Error('Cannot send there');

  await expect(channel.send('Hello')).rejects.toBeInstanceOf(RateLimitError);
});
