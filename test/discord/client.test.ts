import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { createClient } from '../../src/discord/client.ts';
import { useCdn } from './use-cdn.ts';

const PARTS = { clock: systemClock, log: silentLogger };

describe('createClient', () => {
  it('says in one line that Discord cannot be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();

    const login = createClient({ ...PARTS, token: 'abc', apiUrl: `http://127.0.0.1:${port}/api` }).login();

    await expect(login).rejects.toMatchObject({
      code: 'unreachable',
      message: `Cannot log in to Discord at http://127.0.0.1:${port}/api: ECONNREFUSED`,
    });
  });

  it('gives up on a Discord that does not answer', async () => {
    const silent = await useCdn(() => undefined);
    const apiUrl = `${new URL(silent.url).origin}/api`;

    const login = createClient({ ...PARTS, token: 'abc', apiUrl, loginTimeoutMs: 100 }).login();

    await expect(login).rejects.toMatchObject({ code: 'unreachable' });
    await expect(login).rejects.toThrow('Gave up after 100 ms');
  });

  it('does not send a token that cannot be one', async () => {
    const discord = await useCdn((_count, response) => response.end('{}'));
    const apiUrl = `${new URL(discord.url).origin}/api`;

    const login = createClient({ ...PARTS, token: 'two\nlines', apiUrl }).login();

    await expect(login).rejects.toMatchObject({ code: 'token_refused' });
    expect(discord.requests()).toBe(0);
  });
});
