import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { LookupAll } from '../../../../src/base/public-address.ts';
import { AttachmentFetcher } from '../../../../src/bot/discord/wire/attachment-fetcher.ts';
import { useCdn, useFetcher } from '../use-cdn.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

/** Opens a port on this machine and counts the connections to it. */
async function useTrap(): Promise<{ readonly port: number; connections(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { port, connections: () => connections };
}

/** Creates a lookup that returns these answers one after the other, and then repeats the last one. */
function answering(...answers: readonly (readonly string[])[]): LookupAll {
  let asked = 0;
  return (_hostname, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    callback(null, found);
  };
}

async function refusal(fetcher: AttachmentFetcher, url: string): Promise<unknown> {
  const request = { url, toPath: `${await useFolder()}/in`, sizeBytesMax: 1_000 };
  return fetcher.fetch(request, new AbortController().signal).then(
    () => 'fetched',
    (error: unknown) => error,
  );
}

const CDN = 'cdn.discordapp.com';

describe('a link that a member sends', () => {
  test.each<[string, (port: number) => string]>([
    ['has a user name before the host', (port) => `https://${CDN}@127.0.0.1:${port}/a.png`],
    ['names another host', (port) => `https://localhost:${port}/${CDN}`],
    ['names another port', (port) => `https://${CDN}:${port}/a.png`],
    ['is not encrypted', () => `http://${CDN}/a.png`],
    ['is an IPv4-mapped IPv6 address', (port) => `https://[::ffff:127.0.0.1]:${port}/a.png`],
    ['is an address written as one number', (port) => `http://2130706433:${port}/a.png`],
    ['ends the host with a dot', () => `https://${CDN}./a.png`],
    ['has a host that only looks the same', () => 'https://cdn.dіscordapp.com/a.png'],
  ])('is not followed when it %s', async (_what, link) => {
    const trap = await useTrap();
    const fetcher = useFetcher(
      new AttachmentFetcher({ clock: systemClock, lookup: answering(['127.0.0.1']) }),
    );

    expect(await refusal(fetcher, link(trap.port))).toMatchObject({ code: 'unavailable', retryable: false });

    expect(trap.connections()).toBe(0);
  });

  test.each([
    ['this machine', ['127.0.0.1']],
    ['a private network', ['10.1.2.3']],
    ['the metadata service of a cloud', ['169.254.169.254']],
    ['a private network, beside a public address', ['162.159.130.233', '192.168.0.1']],
    ['this machine by an IPv4-mapped IPv6 address', ['::ffff:127.0.0.1']],
  ])('is not followed when the allowed host resolves to %s', async (_what, addresses) => {
    const trap = await useTrap();
    const hosts = [`${CDN}:${trap.port}`];
    const fetcher = useFetcher(
      new AttachmentFetcher({ clock: systemClock, hosts, lookup: answering(addresses) }),
    );

    const error = await refusal(fetcher, `https://${CDN}:${trap.port}/a.png`);

    expect(error).toMatchObject({ code: 'unavailable', retryable: false });
    expect(String(error)).toContain('EPRIVATEADDRESS');
    expect(trap.connections()).toBe(0);
  });

  test('is followed to the address that was checked, even if its name resolves to another one afterwards', async () => {
    const trap = await useTrap();
    const hosts = [`${CDN}:${trap.port}`];
    let asked = 0;
    // The first answer is a public address that is assigned to nobody (this part of IPv6 is not allocated); the second
    // is this machine.
    const rebinding = answering(['2000::1'], ['127.0.0.1']);
    const lookup: LookupAll = (hostname, options, callback) => {
      asked += 1;
      rebinding(hostname, options, callback);
    };
    const fetcher = useFetcher(
      new AttachmentFetcher({ clock: systemClock, hosts, lookup, silenceTimeoutMs: 300 }),
    );

    const error = await refusal(fetcher, `https://${CDN}:${trap.port}/a.png`);

    // The second attempt resolves the name again, and is rejected because of the new address.
    expect(asked).toBe(2);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(trap.connections()).toBe(0);
  });

  test('is not followed through a redirect', async () => {
    const trap = await useTrap();
    const cdn = await useCdn((_count, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${trap.port}/` }).end(),
    );

    await expect(cdn.fetch(`${await useFolder()}/in`)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
    });

    expect(trap.connections()).toBe(0);
  });

  test('is not followed to a private address that was configured as a host by mistake', async () => {
    const fetcher = useFetcher(new AttachmentFetcher({ clock: systemClock, hosts: ['10.0.0.1'] }));
    expect(String(await refusal(fetcher, 'https://10.0.0.1/a.png'))).toContain('not public');
  });

  test('is abandoned in the middle of a file that never ends', async () => {
    let sent = 0;
    const cdn = await useCdn((_count, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(10_000))) sent += 10_000;
      };
      response.on('drain', more);
      more();
    });

    await expect(cdn.fetch(`${await useFolder()}/in`, 100_000)).rejects.toMatchObject({ code: 'too_large' });

    expect(sent).toBeLessThan(20_000_000);
  });
});
