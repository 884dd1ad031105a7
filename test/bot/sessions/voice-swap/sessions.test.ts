import { expect, onTestFinished, test, vi } from 'vitest';
import { SILENCE_PACKET } from '../../../../src/audio/opus-packet.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { CpuVoiceSwap } from '../../../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { VoiceRoom } from '../../../../src/bot/sessions/voice-swap/voice-room.ts';
import { longTermSpectrum, median, pitchContour, shapeDifference } from '../../../audio/analysis.ts';
import { clientPackets } from '../../../audio/use-opus.ts';
import { openVoice } from '../../../media-server/sessions/use-sessions.ts';
import { TestEngine } from '../../../media-server/test-engine.ts';
import { useServer } from '../../../media-server/use-server.ts';
import { StreamLine } from './stream-line.ts';
import { MemoryEndpoint, Talker, listen, readSpeech, wordLikeness } from './use-room.ts';

const MEMBERS = [
  { voice: undefined, format: { sampleRateHz: 48_000, chunkFrames: 960 } },
  { voice: 'bright-woman', format: { sampleRateHz: 16_000, chunkFrames: 320 } },
  { voice: 'deep-narrator', format: { sampleRateHz: 44_100, chunkFrames: 1024 } },
];

/** Returns the interval between two pitches in semitones. */
function semitones(from: number, to: number): number {
  return 12 * Math.log2(to / from);
}

/** Waits until the service has returned all the sound, while no simulated time passes. */
async function answered(lines: readonly StreamLine[]): Promise<void> {
  const isComplete = (): boolean => lines.every(({ sent, received }) => received >= sent);
  await vi.waitFor(() => expect(isComplete()).toBe(true), { interval: 1, timeout: 20_000 });
}

test('members are heard through the embedded service in the voices they chose, word by word', async () => {
  await using engine = await CpuVoiceSwap.start();
  const formats = MEMBERS.map(({ format }) => format);
  const { api } = await useServer({
    engines: { photoSwap: new TestEngine(), voiceSwap: engine },
    voiceFormat: () => formats.shift() ?? { sampleRateHz: 8000, chunkFrames: 160 },
  });
  const clock = new FakeClock();
  const lines: StreamLine[] = [];
  const channels: { endpoint: MemoryEndpoint; talker: Talker }[] = [];
  for (const { voice, format } of MEMBERS) {
    const endpoint = new MemoryEndpoint(clock);
    const room = new VoiceRoom({ listening: endpoint, speaking: endpoint, clock, log: silentLogger });
    onTestFinished(() => room[Symbol.asyncDispose]());
    const line = await StreamLine.open(await openVoice(api, { voice_profile_id: voice }));
    expect(line).toMatchObject(format);
    await room.connect('alice', line);
    lines.push(line);
    channels.push({ endpoint, talker: new Talker(endpoint, 'alice') });
  }
  const speech = await readSpeech();
  const silence = Array.from({ length: 40 }, () => SILENCE_PACKET);
  for (const opus of [...(await clientPackets(speech)), ...silence]) {
    for (const { talker } of channels) talker.say(opus);
    await answered(lines);
    await clock.advance(20);
  }
  const sounds = await Promise.all(channels.map(({ endpoint }) => listen(endpoint)));
  for (const sound of sounds) expect(wordLikeness(speech, sound)).toBeGreaterThan(0.9);
  const [own, unchanged, woman, narrator] = [speech, ...sounds].map((sound) =>
    median(pitchContour(sound, 48_000)),
  );
  expect(Math.abs(semitones(own ?? 0, unchanged ?? 0))).toBeLessThan(0.3);
  expect(Math.abs(semitones(218, woman ?? 0))).toBeLessThan(2);
  expect(Math.abs(semitones(88, narrator ?? 0))).toBeLessThan(2);
  const [said, ...shapes] = [speech, ...sounds].map((sound) => longTermSpectrum(sound, 48_000));
  const changes = shapes.map((shape) => shapeDifference(said ?? [], shape));
  expect(changes[0]).toBeLessThan(1.5);
  expect(Math.min(changes[1] ?? 0, changes[2] ?? 0)).toBeGreaterThan(1.5 * (changes[0] ?? 0));
});
