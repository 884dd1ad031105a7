import { VoiceWebSocket } from '@discordjs/voice';
import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import { describe, expect, test, vi } from 'vitest';
import { encodeSpeech } from '../../../../src/sandbox/voice/speech.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { AES, XCHACHA } from './sealed-packets.ts';
import { AheadClock, eventsOf, packetsOf, toneFrames, useVoiceClub } from './use-connector.ts';

describe('the bot in a voice channel', () => {
  test.each([AES, XCHACHA] as const)('hears members and is heard (%s)', async (mode) => {
    const { lounge, ada, ben, connector, bot, place } = await useVoiceClub({
      voice: { modes: [mode as never] },
    });
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    const frames = await toneFrames(20);
    await ada.voice.speaks(await encodeSpeech(tone(440, 300)));
    for (const frame of frames) expect(endpoint.speak(frame)).toBe(true);
    endpoint.hush();

    const sent = ada.voice.channelId === lounge.id ? ben.voice.packetsOf(ada, lounge) : [];
    await expect.poll(() => packets.length).toBe(20);
    expect(packets.map(({ sequence, timestamp, ssrc }) => ({ sequence, timestamp, ssrc }))).toEqual(
      sent.map(({ sequence, timestamp, ssrc }) => ({ sequence, timestamp, ssrc })),
    );
    await expect.poll(() => ben.voice.packetsOf(bot, lounge).length).toBe(25);
    const heard = ben.voice.packetsOf(bot, lounge);
    expect(heard.slice(0, 20).map(({ opus }) => opus)).toEqual(frames.map((frame) => Buffer.from(frame)));
    expect(endpoint.counts).toEqual({
      undecryptable: 0,
      stillEncrypted: 0,
      foreign: 0,
      recoveries: 0,
      rejoins: 0,
    });
  });

  test('reports who is present, joins, leaves and is muted', async () => {
    const { lounge, ada, ben, connector, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const events = eventsOf(endpoint);
    expect(endpoint.members).toEqual([{ userId: ada.id, isBot: false, isSilenced: false }]);

    ben.voice.joins(lounge);
    await expect.poll(() => events.length).toBe(1);
    ada.voice.leaves();
    await expect.poll(() => events.length).toBe(2);

    const [joined, left] = events;
    expect(joined).toEqual({ kind: 'joined', member: { userId: ben.id, isBot: false, isSilenced: false } });
    expect(left).toMatchObject({ kind: 'left', member: { userId: ada.id } });
    expect(endpoint.members).toHaveLength(1);
  });

  test('advances timestamps during a pause of its speech, but not between packets that come slightly late', async () => {
    const clock = new AheadClock();
    const { lounge, ada, connector, bot, place } = await useVoiceClub({ clock });
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const [frame = new Uint8Array()] = await toneFrames(1);
    {
      using _still = clock.stand();
      for (const pauseMs of [0, 0, 30, 1_000, 0]) {
        clock.aheadMs += pauseMs;
        endpoint.speak(frame);
      }
      endpoint.hush();
    }

    await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(10);
    const packets = ada.voice.packetsOf(bot, lounge);
    const steps = packets
      .slice(1)
      .map(({ timestamp }, index) => modulo(timestamp - (packets[index]?.timestamp ?? 0), 32));
    expect(steps.filter((step) => step !== 960)).toHaveLength(1);
    // The first and the fourth packet are 1,030 ms apart, but the timestamps differ by less than that, because two of
    // the packets came early.
    const passed = steps.slice(0, 3).reduce((sum, step) => sum + step, 0);
    expect(passed % 960).toBe(0);
    expect(passed).toBeGreaterThan(1_000 * 48);
    expect(passed).toBeLessThan(1_500 * 48);
    const numbers = packets
      .slice(1)
      .map(({ sequence }, index) => modulo(sequence - (packets[index]?.sequence ?? 0), 16));
    expect(new Set(numbers)).toEqual(new Set([1]));
  });

  test('is shown as speaking once per stretch of speech, and not after it', async () => {
    const { lounge, ada, connector, bot, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    using sent = vi.spyOn(VoiceWebSocket.prototype, 'sendPacket');
    const said = (): unknown[] =>
      sent.mock.calls.flatMap(([{ op, d }]) => (op === VoiceOpcodes.Speaking ? [d.speaking] : []));
    for (const frame of await toneFrames(5)) endpoint.speak(frame);
    expect(said()).toEqual([1]);
    endpoint.hush();
    endpoint.hush();

    expect(said()).toEqual([1, 0]);
    await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(10);
    expect(
      ada.voice
        .packetsOf(bot, lounge)
        .slice(5)
        .map(({ opus }) => opus),
    ).toEqual(Array.from({ length: 5 }, () => Buffer.from([0xf8, 0xff, 0xfe])));
  });

  test('sends no invalid packets', async () => {
    const { connector, place } = await useVoiceClub();
    await using endpoint = await connector.join(place);

    expect(endpoint.speak(new Uint8Array(0))).toBe(false);
    expect(endpoint.speak(new Uint8Array(10_000))).toBe(false);
  });
});

function modulo(value: number, bits: number): number {
  return (value + 2 ** bits) % 2 ** bits;
}
