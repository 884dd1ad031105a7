import { EndBehaviorType } from '@discordjs/voice';
import { createDecoder } from 'libopus-wasm';
import { expect, test } from 'vitest';
import { encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { powerSpectrum } from '../audio/analysis.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { RATE_HZ, join, tone, useVoiceScene } from './use-voice.ts';

test.each([['aead_aes256_gcm_rtpsize'], ['aead_xchacha20_poly1305_rtpsize']] as const)(
  'a bot hears a member and is heard, with %s',
  async (mode) => {
    const sandbox = await useSandbox({ voice: { modes: [mode] } });
    const { lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
    ada.voice.joins(lounge);
    const connection = await join(client, lounge);
    ben.voice.joins(lounge);
    const packets: Buffer[] = [];
    const stream = connection.receiver.subscribe(ada.id, {
      end: { behavior: EndBehaviorType.AfterSilence, duration: 200 },
    });
    stream.on('data', (packet: Buffer) => packets.push(packet));
    const ended = new Promise((resolve) => stream.once('end', resolve));
    await ada.voice.speaks(tone(440, 600));
    await ended;
    const { frames } = await encodeSpeech(tone(660, 400));
    for (const frame of frames) connection.playOpusPacket(Buffer.from(frame));
    await expect.poll(() => ben.voice.packetsOf(bot, lounge).length).toBe(frames.length);

    expect(packets).toHaveLength(35);
    expect(peakHz(await decode(packets.slice(0, 30)))).toBeCloseTo(440, -1.2);
    const heard = await ben.voice.heard(bot, lounge);
    expect(heard.undecodable).toBe(0);
    expect(peakHz(heard.samples)).toBeCloseTo(660, -1.2);
    expect(ben.voice.packetsOf(ada, lounge)).toHaveLength(35);
  },
);

test('speech ends when the member leaves, and with the sandbox', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben } = await useVoiceScene(sandbox);
  await expect(ada.voice.speaks(tone(300, 20))).rejects.toThrow('in no voice channel');
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const long = await encodeSpeech(tone(300, 60_000), 48_000);
  const [first, second] = [ada.voice.speaks(long), ben.voice.speaks(long)];
  await expect(ada.voice.speaks(long)).rejects.toThrow('still speaking');
  await expect.poll(() => lounge.voice.packetsOf(ada).length).toBeGreaterThan(3);
  ada.voice.leaves();
  await first;
  const said = lounge.voice.packetsOf(ada).length;
  const since = lounge.voice.packetsOf(ben).length;
  await expect.poll(() => lounge.voice.packetsOf(ben).length).toBeGreaterThan(since + 3);
  expect(lounge.voice.packetsOf(ada)).toHaveLength(said);
  await sandbox[Symbol.asyncDispose]();
  await second;
});

test('a member who switched the microphone off is not heard, and speaks on time again afterwards', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const speech = ada.voice.speaks(tone(300, 300));
  await expect.poll(() => lounge.voice.packetsOf(ada).length, { interval: 5 }).toBeGreaterThan(2);
  ada.voice.mutes();
  const heard = lounge.voice.packetsOf(ada).length;
  await speech;
  ada.voice.mutes(false);
  await ada.voice.speaks({ frames: [] });
  const packets = lounge.voice.packetsOf(ada);

  expect(packets).toHaveLength(heard + 5);
  const [before, after] = packets.slice(heard - 1);
  expect(((after?.sequence ?? 0) - (before?.sequence ?? 0)) & 0xffff).toBe(1);
  const pause = ((after?.timestamp ?? 0) - (before?.timestamp ?? 0)) >>> 0;
  expect(pause).toBeGreaterThanOrEqual((21 - heard) * 960);
});

async function decode(packets: readonly Buffer[]): Promise<Int16Array> {
  using decoder = await createDecoder({ channels: 1 });
  return Int16Array.from(packets.flatMap((packet) => [...decoder.decode(packet)]));
}

/** Returns the loudest frequency in hertz. */
function peakHz(samples: Int16Array): number {
  const size = 8192;
  const power = powerSpectrum(Float32Array.from(samples), 4800, size);
  return (power.indexOf(Math.max(...power)) * RATE_HZ) / size;
}
