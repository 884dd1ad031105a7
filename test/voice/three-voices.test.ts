import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { alignEnvelopes, energyEnvelope } from '../../src/audio/energy-envelope.ts';
import { toFloat, toPcm } from '../../src/audio/pcm.ts';
import { readWav } from '../../src/audio/wav.ts';
import { CpuVoiceSwap } from '../../src/media-server/engine/voice/cpu-voice-swap.ts';
import type { SandboxMember } from '../../src/sandbox/script/member-script.ts';
import type { RenderedSpeech } from '../../src/sandbox/voice/render-speech.ts';
import { pitchContour, powerSpectrum, resample } from '../audio/analysis.ts';
import { TestEngine } from '../media-server/test-engine.ts';
import { RATE_HZ, tone } from '../sandbox/use-voice.ts';
import { type VoiceCommunity, panelIn, starts, useVoiceCommunity } from './use-voice-community.ts';

/** What each of them speaks with by nature, and into what it is turned: the median pitch of the voice in Hz. */
const CAST = [
  { sample: 'speech-man-48k.wav', voice: 'bright-woman', pitchHz: [190, 250] },
  { sample: 'speech-woman-16k.wav', voice: 'deep-narrator', pitchHz: [75, 105] },
  { sample: 'speech-man-48k.wav', voice: 'child', pitchHz: [260, 360] },
] as const;

const TONE_HZ = 1_900;
const PATIENCE = { timeout: 30_000 };
const WORDS = { partMs: 2_000, fromMs: 0, toMs: 800 };

const LIKENESS_MIN = 0.8;
const TAKES_MAX = 3;

/** What was said, and what the bot made of it. */
interface Take {
  readonly said: RenderedSpeech;
  readonly heard: RenderedSpeech;
}

interface Actor {
  readonly member: SandboxMember;
  readonly speech: Int16Array;
  readonly pitchHz: readonly [number, number];
}

it(
  'three speak at once with other voices, and a fourth who did not agree is not heard',
  { timeout: 180_000 },
  async () => {
    const place = await useCast();
    const actors = await joinAll(place);
    const stranger = place.guild.addMember('Stranger');
    stranger.voice.joins(place.hall);
    const bot = { id: place.bot.client.user?.id ?? '' };
    const take = async (speakers: readonly Actor[]): Promise<Take> => {
      place.hall.voice.forgets();
      const whistle = tone(TONE_HZ, 1_000);
      await Promise.all([
        ...speakers.map(({ member, speech }) => member.voice.speaks(speech)),
        stranger.voice.speaks(whistle),
      ]);
      await expect.poll(() => isQuiet(place, bot), PATIENCE).toBe(true);
      return { said: await saidBy(place, speakers), heard: await place.hall.voice.recording(bot) };
    };
    const hear = async (speakers: readonly Actor[]): Promise<Take> => {
      let best = await take(speakers);
      // Whoever else has the processor for a moment makes a gap.
      for (let takes = 1; takes < TAKES_MAX && likeness(best) <= LIKENESS_MIN; takes++) {
        const next = await take(speakers);
        if (likeness(next) > likeness(best)) best = next;
      }
      return best;
    };

    for (const actor of actors) {
      const alone = await hear([actor]);
      const { heard } = alone;
      expect(likeness(alone)).toBeGreaterThan(LIKENESS_MIN);
      const [lowest, highest] = actor.pitchHz;
      expect(medianPitch(heard)).toBeGreaterThan(lowest);
      expect(medianPitch(heard)).toBeLessThan(highest);
      expect(levelAt(heard, TONE_HZ)).toBeLessThan(
        levelAt(await place.hall.voice.recording(stranger), TONE_HZ) - 40,
      );
    }
    const together = await hear(actors);
    expect(likeness(together)).toBeGreaterThan(LIKENESS_MIN);
    expect(together.heard.undecodable).toBe(0);
    expect(place.hall.voice.packetsOf(stranger).length).toBeGreaterThan(40);
  },
);

async function useCast(): Promise<VoiceCommunity> {
  const voiceSwap = await CpuVoiceSwap.start();
  onTestFinished(() => voiceSwap[Symbol.asyncDispose]());
  return useVoiceCommunity({ media: { engines: { photoSwap: new TestEngine(), voiceSwap } } });
}

async function joinAll(place: VoiceCommunity): Promise<readonly Actor[]> {
  const { guild, hall, general } = place;
  const actors: Actor[] = [];
  for (const [index, { sample, voice, pitchHz }] of CAST.entries()) {
    const member = index === 0 ? place.ada : guild.addMember(`Actor ${index}`);
    if (index > 0) member.voice.joins(hall);
    const options = { voice: `voice:${voice}` };
    const asked =
      index === 0
        ? await starts(place, options)
        : await (await member.runs('/voice join', { in: general, options })).replied();
    await member.presses('I agree', { on: asked });
    actors.push({ member, speech: await readSpeech(sample), pitchHz });
  }
  const panel = await panelIn(place);
  await expect.poll(() => panel.text.match(/ · on, ends /g)?.length, PATIENCE).toBe(CAST.length);
  return actors;
}

async function readSpeech(name: string): Promise<Int16Array> {
  const { pcm, sampleRateHz } = readWav(await readFile(new URL(`../samples/${name}`, import.meta.url)));
  const speech = new Float32Array(pcm.length);
  toFloat(pcm, speech);
  const resampled = resample(speech, sampleRateHz, RATE_HZ);
  const samples = new Int16Array(resampled.length);
  toPcm(resampled, samples);
  return samples;
}

/** The bot said something, and nothing more for half a second. */
function isQuiet({ hall }: VoiceCommunity, bot: { readonly id: string }): boolean {
  const last = hall.voice.packetsOf(bot).at(-1);
  return last !== undefined && performance.now() - last.atMs > 500;
}

async function saidBy({ hall }: VoiceCommunity, actors: readonly Actor[]): Promise<RenderedSpeech> {
  const parts = await Promise.all(actors.map(({ member }) => hall.voice.recording(member)));
  const startMs = Math.min(...parts.map((part) => part.startMs));
  const sounds = parts.map((part) => from(part, startMs));
  const samples = new Int16Array(Math.max(...sounds.map(({ length }) => length)));
  for (const sound of sounds) sound.forEach((sample, n) => (samples[n] = (samples[n] ?? 0) + sample / 2));
  return { samples, startMs, undecodable: 0 };
}

function from({ samples, startMs: ownMs }: RenderedSpeech, startMs: number): Int16Array {
  const ahead = Math.round(((ownMs - startMs) * RATE_HZ) / 1000);
  const sound = new Int16Array(Math.max(0, ahead + samples.length));
  sound.set(ahead < 0 ? samples.subarray(-ahead) : samples, Math.max(0, ahead));
  return sound;
}

function likeness({ said, heard }: Take): number {
  const first = energyEnvelope(said.samples, RATE_HZ);
  return alignEnvelopes(first, energyEnvelope(from(heard, said.startMs), RATE_HZ), WORDS).likeness;
}

function medianPitch({ samples }: RenderedSpeech): number {
  const voiced = pitchContour(toFloats(samples), RATE_HZ).filter((hz) => hz > 0);
  return voiced.toSorted((a, b) => a - b)[Math.floor(voiced.length / 2)] ?? 0;
}

/** In dB, of the loudest moment. */
function levelAt({ samples }: RenderedSpeech, hz: number): number {
  const size = 4_096;
  const sound = toFloats(samples);
  const bin = Math.round((hz * size) / RATE_HZ);
  let most = 1e-12;
  for (let at = 0; at + size <= sound.length; at += size) {
    const power = powerSpectrum(sound, at, size);
    const all = power.reduce((sum, value) => sum + value, 0);
    if ((power[bin] ?? 0) > 0.5 * all) most = Math.max(most, power[bin] ?? 0);
  }
  return 10 * Math.log10(most);
}

function toFloats(samples: Int16Array): Float32Array {
  const sound = new Float32Array(samples.length);
  toFloat(samples, sound);
  return sound;
}
