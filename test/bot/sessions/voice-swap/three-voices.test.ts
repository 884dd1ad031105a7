import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { energyEnvelope } from '../../../../src/audio/energy-envelope.ts';
import { toFloat, toPcm } from '../../../../src/audio/pcm.ts';
import { readWav } from '../../../../src/audio/wav.ts';
import { CpuVoiceSwap } from '../../../../src/media-server/engine/voice/cpu-voice-swap.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { RenderedSpeech } from '../../../../src/sandbox/voice/render-speech.ts';
import { pitchContour, powerSpectrum, resample } from '../../../audio/analysis.ts';
import { TestEngine } from '../../../media-server/test-engine.ts';
import { RATE_HZ, tone } from '../../../sandbox/use-voice.ts';
import { HeldVoices } from './held-voices.ts';
import { likenessOfMany } from './words-of-many.ts';
import { type SimulatedVoiceCommunity, panelIn, starts, useVoiceCommunity } from './use-voice-community.ts';

/**
 * The speakers: their natural speech, the voices to which it is converted, and the range in Hz of the converted voices'
 * median pitch.
 */
const CAST = [
  { sample: 'speech-man-48k.wav', voice: 'bright-woman', pitchHz: [190, 250] },
  { sample: 'speech-woman-16k.wav', voice: 'deep-narrator', pitchHz: [75, 105] },
  { sample: 'speech-man-48k.wav', voice: 'child', pitchHz: [260, 360] },
] as const;

const TONE_HZ = 1_900;

const LIKENESS_MIN = 0.8;

/** The speech of each speaker and the bot's sound, both starting at the same time. */
interface Take {
  readonly said: readonly Int16Array[];
  readonly heard: Int16Array;
}

interface Actor {
  readonly member: SandboxMember;
  readonly speech: Int16Array;
  readonly pitchHz: readonly [number, number];
}

test(
  'three members speak at the same time with converted voices, and a fourth who did not agree is not heard',
  { timeout: 180_000 },
  async () => {
    const place = await useCast();
    const { time } = place;
    const actors = await joinAll(place);
    const stranger = place.guild.addMember('Stranger');
    stranger.voice.joins(place.hall);
    const bot = { id: place.bot.client.user?.id ?? '' };
    const take = async (speakers: readonly Actor[], frames = Infinity): Promise<Take> => {
      place.hall.voice.forgets();
      const whistle = tone(TONE_HZ, 1_000);
      const spoken = [
        ...speakers.map(({ member, speech }) => member.voice.speaks(speech.subarray(0, frames))),
        stranger.voice.speaks(whistle),
      ];
      await time.during(Promise.all(spoken));
      await time.until(() => expect(isQuiet(place, bot)).toBe(true));
      const heard = await place.hall.voice.recording(bot);
      expect(heard.undecodable).toBe(0);
      const parts = await Promise.all(speakers.map(({ member }) => place.hall.voice.recording(member)));
      const startMs = Math.min(...parts.map((part) => part.startMs));
      return { said: parts.map((part) => from(part, startMs)), heard: from(heard, startMs) };
    };

    // The first words arrive late, because the sessions are only opened now.
    await take(actors, RATE_HZ);
    const gains: number[] = [];
    for (const actor of actors) {
      const alone = await take([actor]);
      const [lowest, highest] = actor.pitchHz;
      expect(likeness(alone, [1])).toBeGreaterThan(LIKENESS_MIN);
      expect(medianPitch(alone.heard)).toBeGreaterThan(lowest);
      expect(medianPitch(alone.heard)).toBeLessThan(highest);
      const { samples } = await place.hall.voice.recording(stranger);
      expect(levelAt(alone.heard, TONE_HZ)).toBeLessThan(levelAt(samples, TONE_HZ) - 40);
      gains.push(loudness(alone.heard) / loudness(alone.said[0] ?? alone.heard));
    }
    const together = await take(actors);
    const ofAll = likeness(together, gains);
    expect(ofAll).toBeGreaterThan(LIKENESS_MIN);
    for (const [who] of actors.entries()) expect(likeness(together, gains.with(who, 0))).toBeLessThan(ofAll);
    expect(place.hall.voice.packetsOf(stranger).length).toBeGreaterThan(40);
  },
);

async function useCast(): Promise<SimulatedVoiceCommunity> {
  const cpu = await CpuVoiceSwap.start();
  onTestFinished(() => cpu[Symbol.asyncDispose]());
  const voiceSwap = new HeldVoices(cpu);
  const place = await useVoiceCommunity({ media: { engines: { photoSwap: new TestEngine(), voiceSwap } } });
  voiceSwap.clock = place.time;
  return place;
}

async function joinAll(place: SimulatedVoiceCommunity): Promise<readonly Actor[]> {
  const { guild, hall, general, time } = place;
  const actors: Actor[] = [];
  for (const [index, { sample, voice, pitchHz }] of CAST.entries()) {
    const member = index === 0 ? place.ada : guild.addMember(`Actor ${index}`);
    if (index > 0) member.voice.joins(hall);
    const options = { voice: `voice:${voice}` };
    const asked =
      index === 0
        ? await starts(place, options)
        : await time.during((await member.runs('/voice join', { in: general, options })).replied());
    await member.presses('I agree', { on: asked });
    actors.push({ member, speech: await readSpeech(sample), pitchHz });
  }
  const panel = await panelIn(place);
  await time.until(() => expect(panel.text.match(/ · on, ends /g)).toHaveLength(CAST.length));
  return actors;
}

async function readSpeech(name: string): Promise<Int16Array> {
  const { pcm, sampleRateHz } = readWav(await readFile(new URL(`../../../samples/${name}`, import.meta.url)));
  const speech = new Float32Array(pcm.length);
  toFloat(pcm, speech);
  const resampled = resample(speech, sampleRateHz, RATE_HZ);
  const samples = new Int16Array(resampled.length);
  toPcm(resampled, samples);
  return samples;
}

/** Returns whether the bot has spoken and then been silent for half a second. */
function isQuiet({ hall, time }: SimulatedVoiceCommunity, bot: { readonly id: string }): boolean {
  const last = hall.voice.packetsOf(bot).at(-1);
  return last !== undefined && time.monotonic() - last.atMs > 500;
}

function from({ samples, startMs: ownMs }: RenderedSpeech, startMs: number): Int16Array {
  const ahead = Math.round(((ownMs - startMs) * RATE_HZ) / 1000);
  const sound = new Int16Array(Math.max(0, ahead + samples.length));
  sound.set(ahead < 0 ? samples.subarray(-ahead) : samples, Math.max(0, ahead));
  return sound;
}

/** Returns how similar the sound that was heard is to the words of all speakers whose gain is above 0. */
function likeness({ said, heard }: Take, gains: readonly number[]): number {
  const many = said
    .map((sound, who) => ({ said: energyEnvelope(sound, RATE_HZ), gain: gains[who] ?? 0 }))
    .filter(({ gain }) => gain > 0);
  return likenessOfMany(many, energyEnvelope(heard, RATE_HZ));
}

/** Returns the loudness of all samples together. */
function loudness(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0));
}

function medianPitch(samples: Int16Array): number {
  const voiced = pitchContour(toFloats(samples), RATE_HZ).filter((hz) => hz > 0);
  return voiced.toSorted((a, b) => a - b)[Math.floor(voiced.length / 2)] ?? 0;
}

/** Returns the level at one frequency in dB, at the moment when it is loudest. */
function levelAt(samples: Int16Array, hz: number): number {
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
