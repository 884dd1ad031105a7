import { once } from 'node:events';
import { Events } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import {
  AheadClock,
  type VoiceClub,
  endOf,
  eventsOf,
  packetsOf,
  toneFrames,
  useVoiceClub,
} from './use-connector.ts';
import type { EndpointEvent } from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';

function kinds(events: readonly EndpointEvent[]): readonly string[] {
  return events.map(({ kind }) => kind);
}

/** Returns whether the sandbox lists the bot in the voice channel. */
function isSeated({ lounge, bot }: VoiceClub): boolean {
  return lounge.voice.states.some(({ member }) => member.user.id === bot.id);
}

describe('a voice connection that breaks', () => {
  test.each([1006, 4006, 4009, 4015])('is opened again after %i, and hears and speaks', async (code) => {
    const club = await useVoiceClub();
    const { lounge, ada, sandbox, connector, bot, place } = club;
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);
    const packets = packetsOf(endpoint, ada);

    sandbox.faults.voiceIn(lounge).close(code);
    await expect.poll(() => kinds(events)).toContain('restored');
    await ada.voice.speaks(tone(440, 100));
    const [frame = new Uint8Array()] = await toneFrames(1);
    expect(endpoint.speak(frame)).toBe(true);

    expect(kinds(events).filter((kind) => kind !== 'joined' && kind !== 'left')).toEqual([
      'interrupted',
      'restored',
    ]);
    expect(endpoint.counts.rejoins).toBe(1);
    await expect.poll(() => packets.length).toBeGreaterThanOrEqual(5);
    await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(1);
  });

  test('follows the call to another voice server', async () => {
    const { lounge, ada, sandbox, connector, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    sandbox.faults.voiceIn(lounge).changeServer(50);

    await expect.poll(() => kinds(events)).toContain('restored');
    expect(endpoint.counts.rejoins).toBe(1);
  });

  test('is opened again when packets stop arriving although its socket is open', async () => {
    const clock = new AheadClock();
    const { lounge, ada, sandbox, connector, place } = await useVoiceClub({ clock });
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);
    const packets = packetsOf(endpoint, ada);
    await ada.voice.speaks(tone(440, 100));
    await expect.poll(() => packets.length).toBeGreaterThan(0);

    sandbox.faults.voiceIn(lounge).set({ isDead: true });
    clock.aheadMs += 5_000;
    await expect.poll(() => kinds(events), { timeout: 20_000, interval: 200 }).toContain('interrupted');
    sandbox.faults.voiceIn(lounge).clear();
    await expect.poll(() => kinds(events)).toContain('restored');
    const before = packets.length;
    await ada.voice.speaks(tone(440, 100));

    await expect.poll(() => packets.length).toBeGreaterThan(before);
  });

  test.each([4014, 4021, 4022])('ends after %i: the bot leaves and stays away', async (code) => {
    const club = await useVoiceClub();
    const { lounge, ada, sandbox, connector, place } = club;
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    sandbox.faults.voiceIn(lounge).close(code);

    expect(await endOf(events)).toBe('disconnected');
    await expect.poll(() => isSeated(club)).toBe(false);
    expect(endpoint.counts.rejoins).toBe(0);
    expect(endpoint.speak(new Uint8Array([1]))).toBe(false);
    expect(endpoint.members).toEqual([]);
  });

  test('ends when the call requires encryption, and the log says why', async () => {
    const { lounge, sandbox, connector, place, logged } = await useVoiceClub();
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    sandbox.faults.voiceIn(lounge).close(4017);

    expect(await endOf(events)).toBe('unreachable');
    expect(logged.join()).toContain('end-to-end encryption for voice: is @snazzah/davey installed?');
  });

  test('is not opened again forever, and at growing intervals', async () => {
    const clock = new FakeClock();
    const club = await useVoiceClub({ clock });
    const { lounge, sandbox, connector, place } = club;
    const joining = connector.join(place);
    await clock.advance(1);
    await using endpoint = await joining;
    const events = eventsOf(endpoint);
    const restoredAtMs: number[] = [];
    endpoint.onEvent(({ kind }) => {
      if (kind !== 'restored') return;
      restoredAtMs.push(clock.monotonic());
      sandbox.faults.voiceIn(lounge).close(4006);
    });

    sandbox.faults.voiceIn(lounge).close(4006);
    const passes = async (): Promise<readonly string[]> => {
      await clock.advance(20);
      return kinds(events);
    };
    await expect.poll(passes, { interval: 1 }).toContain('ended');

    expect(events.at(-1)).toEqual({ kind: 'ended', reason: 'unreachable' });
    expect(restoredAtMs).toHaveLength(5);
    const waits = restoredAtMs.slice(1).map((atMs, index) => atMs - (restoredAtMs[index] ?? 0));
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index);
    await expect.poll(() => isSeated(club)).toBe(false);
  });
});

describe('the bot in a voice channel', () => {
  test('does not return after a moderator disconnects it', async () => {
    const club = await useVoiceClub();
    const { guild, lounge, bot, connector, place } = club;
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    guild.voice.disconnects(bot);

    expect(await endOf(events)).toBe('disconnected');
    expect(isSeated(club)).toBe(false);
    expect(lounge.voice.connectedIds).toEqual([]);
  });

  test('leaves when it is moved', async () => {
    const club = await useVoiceClub();
    const { guild, bot, connector, place } = club;
    const attic = guild.addVoiceChannel('Attic');
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    guild.voice.moves(bot, attic);

    expect(await endOf(events)).toBe('moved');
    await expect.poll(() => attic.voice.states).toEqual([]);
  });

  test('leaves when the channel is deleted', async () => {
    const { lounge, connector, place } = await useVoiceClub();
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);

    lounge.disappears();

    expect(await endOf(events)).toBe('channel_deleted');
  });

  test('leaves when its client is destroyed', async () => {
    const { client, connector, place } = await useVoiceClub();
    const events = eventsOf(await connector.join(place));

    await client.destroy();

    expect(await endOf(events)).toBe('disconnected');
  });

  test("leaves when its client's session ends", async () => {
    const { connector, place, sandbox } = await useVoiceClub();
    const events = eventsOf(await connector.join(place));

    sandbox.faults.invalidateSessions({ resumable: false });

    expect(await endOf(events)).toBe('disconnected');
  });

  test('stays while its client resumes', async () => {
    const { client, connector, place, sandbox, lounge, ada, bot } = await useVoiceClub();
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);
    const resumed = once(client, Events.ShardResume);

    sandbox.faults.dropGateway();
    await resumed;
    ada.voice.joins(lounge);
    await expect.poll(() => events.length).toBe(1);

    expect(kinds(events)).toEqual(['joined']);
    expect(lounge.voice.connectedIds).toContain(bot.id);
  });

  test('leaves when the caller closes it, and may join again at once', async () => {
    const club = await useVoiceClub();
    const { connector, place } = club;
    const first = await connector.join(place);
    const events = eventsOf(first);

    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    expect(events).toEqual([{ kind: 'ended', reason: 'closed' }]);
    await using second = await connector.join(place);

    expect(isSeated(club)).toBe(true);
    expect(eventsOf(second)).toEqual([]);
  });
});
