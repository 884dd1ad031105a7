import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { CpuVoiceSwap } from '../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { VoiceRoom } from '../../src/voice/voice-room.ts';
import { longTermSpectrum, median, pitchContour, shapeDifference } from '../audio/analysis.ts';
import { clientPackets } from '../audio/use-opus.ts';
import { correlation } from '../engine/correlation.ts';
import { openVoice } from '../media-server/sessions/use-sessions.ts';
import { TestEngine } from '../media-server/test-engine.ts';
import { useServer } from '../media-server/use-server.ts';
import { StreamLine } from './stream-line.ts';
import { MemoryEndpoint, Talker, envelope, listen, readSpeech } from './use-room.ts';

/** How alike the loudness of words is, wherever the second sound begins. */
function wordLikeness(said: Float32Array, heard: Float32Array): number {
  const smooth = (values: number[]): number[] =>
    values.map((_, n) => values.slice(Math.max(0, n - 3), n + 4).reduce((sum, x) => sum + x, 0) / 7);
  const [a, b] = [smooth(envelope(said)), smooth(envelope(heard))];
  return Math.max(
    ...Array.from({ length: 30 }, (_, lag) => correlation(a.slice(15, 270), b.slice(lag, lag + 255))),
  );
}

test('through the embedded service two members at once are heard in the voices they chose, word by word', async () => {
  const engine = await CpuVoiceSwap.start();
  const formats = [
    { sampleRateHz: 48_000, chunkFrames: 960 },
    { sampleRateHz: 16_000, chunkFrames: 320 },
  ];
  const { api } = await useServer({
    engines: { photoSwap: new TestEngine(), voiceSwap: engine },
    voiceFormat: () => formats.shift() ?? { sampleRateHz: 44_100, chunkFrames: 1024 },
  });
  const speech = await readSpeech();
  const packets = await clientPackets(speech);
  const wanted = [undefined, 'bright-woman', 'deep-narrator'];
  const clock = systemClock;
  const members = await Promise.all(
    wanted.map(async (voice) => {
      const endpoint = new MemoryEndpoint(clock);
      const room = new VoiceRoom({ listening: endpoint, speaking: endpoint, clock, log: silentLogger });
      const line = await StreamLine.open(await openVoice(api, { voice_profile_id: voice }));
      await room.connect('alice', line);
      return { endpoint, room, line, talker: new Talker(endpoint, 'alice') };
    }),
  );
  const startMs = clock.monotonic();
  for (const [n, opus] of packets.entries()) {
    const waitMs = startMs + n * 20 - clock.monotonic();
    if (waitMs > 0) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    for (const { talker } of members) talker.say(opus);
  }
  await expect.poll(() => members.every(({ endpoint }) => endpoint.hushes.length > 0)).toBe(true);
  const sounds = await Promise.all(members.map(({ endpoint }) => listen(endpoint)));
  const pitches = sounds.map((sound) => median(pitchContour(sound, 48_000)));
  console.log(
    pitches,
    median(pitchContour(speech, 48_000)),
    sounds.map((s) => wordLikeness(speech, s)),
    members.map(({ room, line }) => JSON.stringify([line.sampleRateHz, room.stats])),
  );
  for (const sound of sounds) expect(wordLikeness(speech, sound)).toBeGreaterThan(0.8);
  const own = median(pitchContour(speech, 48_000));
  expect(Math.abs(12 * Math.log2((pitches[0] ?? 0) / own))).toBeLessThan(0.5);
  expect(Math.abs(12 * Math.log2((pitches[1] ?? 0) / 218))).toBeLessThan(2);
  expect(Math.abs(12 * Math.log2((pitches[2] ?? 0) / 88))).toBeLessThan(2);
  const shapes = [speech, ...sounds].map((sound) => longTermSpectrum(sound, 48_000));
  const differences = shapes.slice(1).map((shape) => shapeDifference(shapes[0] ?? [], shape));
  expect(differences[0]).toBeLessThan(3);
  console.log(differences);
  for (const { room } of members) await room[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});
