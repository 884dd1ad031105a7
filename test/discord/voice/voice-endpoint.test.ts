import { describe, expect, it } from 'vitest';
import { encodeSpeech } from '../../../src/sandbox/voice/speech.ts';
import { tone } from '../../sandbox/use-voice.ts';
import { AES, XCHACHA } from './sealed-packets.ts';
import { eventsOf, packetsOf, toneFrames, useVoiceClub } from './use-connector.ts';

describe('the bot in a voice channel', () => {
  it.each([AES, XCHACHA] as const)('hears members and is heard (%s)', async (mode) => {
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

  it('knows who is there, and who comes, goes and is silenced', async () => {
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

  it('lets time pass in a pause of its speech', async () => {
    const { lounge, ada, connector, bot, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const [frame = new Uint8Array()] = await toneFrames(1);
    endpoint.speak(frame);
    endpoint.speak(frame);
    await new Promise((resolve) => setTimeout(resolve, 400));
    endpoint.speak(frame);

    await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(3);
    const [first, second, third] = ada.voice.packetsOf(bot, lounge);
    const step = (a = first, b = second): number =>
      ((b?.timestamp ?? 0) - (a?.timestamp ?? 0) + 2 ** 32) % 2 ** 32;
    expect(step()).toBe(960);
    expect(step(second, third)).toBeGreaterThanOrEqual(380 * 48);
    expect(step(second, third) % 960).toBe(0);
    expect(((third?.sequence ?? 0) - (second?.sequence ?? 0) + 65_536) % 65_536).toBe(1);
  });
});
