import { createSocket } from 'node:dgram';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect, useLink } from './use-voice-server.ts';

describe('VoiceLink', () => {
  test('connects, and asks for its address again until the answer arrives', async () => {
    const { server, clock, events, link } = await useLink();
    await expect.poll(() => server.count(0)).toBe(1);
    server.ready();
    await expect.poll(() => server.discoveries.length).toBe(1);

    for (let asked = 2; asked <= 4; asked++) {
      await clock.advance(500);
      await expect.poll(() => server.discoveries.length).toBe(asked);
    }
    server.answerDiscovery();
    await expect.poll(() => server.count(1)).toBe(1);
    server.describe();
    await expect.poll(() => events).toEqual(['ready']);

    expect(new Set(server.discoveries.map((request) => request.readUInt32BE(4)))).toEqual(new Set([7]));
    expect(link.sending).not.toBeNull();
    await clock.advance(60_000);
    expect(server.discoveries).toHaveLength(4);
    expect(events).toEqual(['ready']);
  });

  test('counts as connected without keys if the others do not agree on any', async () => {
    const { server, clock, events } = await useLink({ isAlone: false });
    await connect(server, 1);
    await expect.poll(() => server.count(26)).toBe(1);
    await clock.advance(2_400);
    expect(events).toEqual([]);

    await clock.advance(100);

    expect(events).toEqual(['ready']);
  });

  test('is given up when the server does not complete the connection in time', async () => {
    const { server, clock, events } = await useLink();
    await expect.poll(() => server.count(0)).toBe(1);

    await clock.advance(8_000);

    expect(events).toEqual(['closed null']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('survives a malicious server', async () => {
    const { events, logged } = await useLink({ trusts: false });

    await expect.poll(() => events).toEqual(['closed 1006']);

    expect(logged.join()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('survives an unreachable server', async () => {
    const { events } = await useLink({ endpoint: '127.0.0.1:1' });

    await expect.poll(() => events).toEqual(['closed 1006']);
  });

  test.each([
    ['an invalid port', 0],
    ['another', 70_000],
  ])('survives %s', async (_name, port) => {
    const { server, clock, events } = await useLink();
    await expect.poll(() => server.count(0)).toBe(1);

    server.ready(port);
    server.json(5, { user_id: '5', ssrc: 9, speaking: 1 });
    await expect.poll(() => events).toEqual(['speaker 5 9']);
    await clock.advance(8_000);

    expect(events.at(-1)).toBe('closed null');
  });

  test('survives invalid messages', async () => {
    const { server, events, logged } = await useLink();
    await connect(server, 1);
    await expect.poll(() => events).toEqual(['ready']);

    for (const text of ['', '{', 'null', '7', '[]', '{"op":2}', '{"op":4,"d":null}', '{"op":21,"d":null}']) {
      server.text(text);
    }
    server.json(11, {});
    server.json(5, { user_id: 'everybody', ssrc: 'all' });
    server.json(5, { user_id: '5', ssrc: 2 ** 40 });
    for (const bytes of [[], [0], [0, 1, 27], [0, 2, 29, 1], [0, 3, 25, 1], [0, 4, 30]]) server.binary(bytes);
    server.json(5, { user_id: '5', ssrc: 9, speaking: 1 });
    await expect.poll(() => events).toContain('speaker 5 9');

    expect(events.filter((entry) => entry === 'key fault').length).toBeGreaterThan(3);
    expect(events).not.toContain('closed null');
    expect(logged.length).toBeLessThanOrEqual(5);
  });

  test('learns which member each stream belongs to, also for members who spoke before', async () => {
    const { server, events } = await useLink();
    await connect(server);
    server.json(5, { user_id: '5', ssrc: 9, speaking: 1, delay: 0 });
    server.json(12, { user_id: '6', audio_ssrc: 10, video_ssrc: 0 });
    server.json(12, { user_id: '7', audio_ssrc: 0 });
    server.json(13, { user_id: '5' });

    await expect.poll(() => events).toEqual(['ready', 'speaker 5 9', 'speaker 6 10', 'gone 5']);
  });

  test('distinguishes packets of the server from packets of others', async () => {
    const { server, events } = await useLink();
    await connect(server);
    await expect.poll(() => events).toEqual(['ready']);
    const stranger = createSocket('udp4');
    onTestFinished(() => void stranger.close());

    server.datagram(Buffer.from('false'), stranger);
    await expect.poll(() => events).toEqual(['ready', 'foreign']);
    server.datagram(Buffer.from('true'));

    await expect.poll(() => events).toEqual(['ready', 'foreign', 'datagram true']);
  });

  test('resumes, and processes missed messages only then, in order', async () => {
    const { server, events, link } = await useLink();
    await connect(server, 1);
    await expect.poll(() => events).toEqual(['ready']);

    server.close(4015);
    await expect.poll(() => server.count(7)).toBe(1);
    expect(events).toEqual(['ready', 'resuming']);
    expect(link.sending).toBeNull();
    expect(link.linked).not.toBeNull();
    server.binary([0, 5, 25, 1]);
    server.json(5, { user_id: '5', ssrc: 9, speaking: 1 });
    server.binary([0, 6, 27]);
    server.json(9, null);

    await expect.poll(() => events.length).toBe(6);
    expect(events).toEqual(['ready', 'resuming', 'ready', 'key fault', 'speaker 5 9', 'key fault']);
  });

  test('does not resume forever', async () => {
    const { server, events } = await useLink();
    await connect(server);
    await expect.poll(() => events).toEqual(['ready']);

    for (let times = 1; times <= 5; times++) {
      server.close(1001);
      await expect.poll(() => server.count(7)).toBe(times);
      server.json(9, null);
      await expect.poll(() => events.filter((entry) => entry === 'ready').length).toBe(times + 1);
    }
    server.close(1001);

    await expect.poll(() => events.at(-1)).toBe('closed null');
  });

  test('is given up when resuming is not answered', async () => {
    const { server, clock, events } = await useLink();
    await connect(server);
    await expect.poll(() => events).toEqual(['ready']);
    server.close(4015);
    await expect.poll(() => server.count(7)).toBe(1);

    await clock.advance(5_000);

    expect(events).toEqual(['ready', 'resuming', 'closed null']);
  });

  test.each([
    ['is given up when nothing arrives any longer', true, 'closed null'],
    ['stays connected to a server that never answered the checks', false, 'ready'],
  ])('%s', async (_name, echoes, wanted) => {
    const { server, clock, events } = await useLink();
    server.echoes = echoes;
    await connect(server);
    await expect.poll(() => events).toEqual(['ready']);
    await expect.poll(() => server.probes.length).toBeGreaterThan(0);
    server.datagram(Buffer.from('true'));
    await expect.poll(() => events).toEqual(['ready', 'datagram true']);

    server.echoes = false;
    await clock.advance(8_000);
    expect(events).toEqual(['ready', 'datagram true']);
    await clock.advance(2_000);

    expect(events.filter((entry) => entry !== 'datagram true').at(-1)).toBe(wanted);
  });

  test.each([4006, 4009, 4014, 4017, 4021, 4022, 4999])(
    'ends with the close code of the server: %i',
    async (code) => {
      const { server, clock, events } = await useLink();
      await connect(server);
      await expect.poll(() => events).toEqual(['ready']);

      server.close(code);
      await expect.poll(() => events).toEqual(['ready', `closed ${code}`]);

      expect(clock.pendingTimers).toBe(0);
      expect(server.connections).toBe(1);
    },
  );
});
