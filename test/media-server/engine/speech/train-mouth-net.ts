import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Flite, type FliteSpeaker } from '../../../../src/media-server/engine/speech/flite.ts';
import { mouthFromPhones } from '../../../../src/media-server/engine/speech/mouth-from-phones.ts';
import {
  applyLayer,
  bendOutput,
  gatherContext,
  type Layer,
  NET_SIZES,
  packLayers,
} from '../../../../src/media-server/engine/speech/mouth-net.ts';
import {
  FRAMES_PER_SECOND,
  FRAME_VALUES,
  SoundFeatures,
} from '../../../../src/media-server/engine/speech/sound-features.ts';
import { correlation } from '../correlation.ts';
import { Adam } from './adam.ts';
import { seededRandom } from '../seeded-random.ts';
import { spoil } from './spoil-recording.ts';
import { TRAINING_WORDS } from './training-words.ts';

/**
 * Trains the network that reads mouth shapes from sound, on sentences of random words that the synthesiser
 * speaks in all its voices, altered in pitch, colour, room and noise; the targets are the mouth movements of
 * the phones. Prints the accuracy on sentences that were not used in training, and writes the weights with
 * --write. With --without <voice>, that voice is only used in the evaluation.
 */
const { values: options } = parseArgs({
  options: {
    without: { type: 'string' },
    write: { type: 'boolean', default: false },
    sentences: { type: 'string', default: '90' },
    rounds: { type: 'string', default: '8' },
  },
});

const SPEAKERS: readonly FliteSpeaker[] = ['slt', 'rms', 'awb', 'kal16'];
const VARIANTS = 2;
const BATCH = 48;
const LEARNING_RATE = 0.002;
/** The weights of the four mouth-shape values. Moments at which the lips touch are rare, but matter most. */
const PART_WEIGHTS = [2, 0.5, 1.6, 1.2];

interface Recording {
  readonly features: Float32Array;
  /** The target mouth shapes: four values per frame. */
  readonly truth: Float32Array;
}

const VALUES = NET_SIZES.map((size) => new Float32Array(size));
const random = seededRandom(7);
const flite = await Flite.load();
const training = SPEAKERS.filter((voice) => voice !== options.without).flatMap((voice) =>
  record(voice, Number(options.sentences), VARIANTS),
);
const examination = SPEAKERS.filter((voice) => !options.without || voice === options.without).flatMap(
  (voice) => record(voice, 10, 1),
);
const net = train(training, Number(options.rounds));
report('trained on', training.slice(0, 60));
report('examined on', examination);
if (options.write) {
  const target = new URL('../../../../src/media-server/engine/speech/mouth-net-weights.ts', import.meta.url);
  const comment =
    '/** Made by `test/media-server/engine/speech/train-mouth-net.ts --write`; see `packLayers`. */';
  await writeFile(target, `${comment}\nexport const MOUTH_NET_WEIGHTS =\n  '${packLayers(net)}';\n`);
}

function record(voice: FliteSpeaker, sentences: number, variants: number): Recording[] {
  return Array.from({ length: sentences }, () => sentence()).flatMap((text) => {
    const { samples, phones } = flite.say(voice, text);
    return Array.from({ length: variants }, () => {
      const speed = 0.82 + 0.4 * random();
      const mouth = mouthFromPhones(phones);
      const heard = new SoundFeatures();
      heard.push(spoil(samples, speed, random));
      const features = heard.finish();
      const frames = features.length / FRAME_VALUES;
      const truth = new Float32Array(frames * 4);
      for (let frame = 0; frame < frames; frame++) {
        const { open, spread, press, tuck } = mouth.at((frame / FRAMES_PER_SECOND) * speed);
        truth.set([open, spread, press, tuck], frame * 4);
      }
      return { features, truth };
    });
  });
}

function sentence(): string {
  const pick = (): string => TRAINING_WORDS[Math.floor(random() * TRAINING_WORDS.length)] ?? '';
  const words = Array.from({ length: 6 + Math.floor(random() * 6) }, pick);
  if (random() < 0.5) words[3] += ',';
  return `${words.join(' ')}.`;
}

function train(recordings: readonly Recording[], rounds: number): Layer[] {
  const layers = NET_SIZES.slice(1).map((outputs, n) => {
    const inputs = NET_SIZES[n] ?? 0;
    const scale = Math.sqrt(1.5 / inputs);
    const weights = Float32Array.from({ length: inputs * outputs }, () => (2 * random() - 1) * scale);
    return { inputs, outputs, weights, biases: new Float32Array(outputs) };
  });
  const steps = layers.map((layer) => new Adam(layer));
  const places = recordings.flatMap(({ truth }, n) => {
    return Array.from({ length: truth.length / 4 }, (_, frame) => [n, frame] as const);
  });
  for (let round = 0; round < rounds; round++) {
    shuffle(places);
    let loss = 0;
    for (const [n, [recording, frame]] of places.entries()) {
      const heard = recordings[recording];
      if (heard) loss += learn(layers, steps, heard, frame);
      const share = (round + n / places.length) / rounds;
      const rate = LEARNING_RATE * 0.5 * (1 + Math.cos(Math.PI * share)) + 0.00002;
      if (n % BATCH === BATCH - 1) for (const step of steps) step.take(rate);
    }
    print(`round ${round + 1}: loss ${(loss / places.length).toFixed(5)} over ${places.length} moments`);
  }
  return layers;
}

function learn(layers: readonly Layer[], steps: readonly Adam[], heard: Recording, frame: number): number {
  gatherContext(heard.features, frame, VALUES[0] as Float32Array);
  forward(layers);
  let errors = new Float32Array(4);
  let loss = 0;
  const shape = VALUES.at(-1) as Float32Array;
  for (let part = 0; part < 4; part++) {
    const value = shape[part] as number;
    const error = value - (heard.truth[frame * 4 + part] as number);
    const weight = PART_WEIGHTS[part] as number;
    loss += weight * error * error;
    // The gradient of the cross-entropy, which does not vanish if the network is confident but wrong.
    errors[part] = weight * error;
  }
  for (let n = layers.length - 1; n >= 0; n--) {
    const { inputs, outputs, weights } = layers[n] as Layer;
    const step = steps[n] as Adam;
    const below = VALUES[n] as Float32Array;
    const next = new Float32Array(inputs);
    for (let row = 0; row < outputs; row++) {
      const error = errors[row] as number;
      (step.biasSlopes[row] as number) += error;
      for (let w = row * inputs, i = 0; i < inputs; w++, i++) {
        step.slopes[w] = (step.slopes[w] as number) + error * (below[i] as number);
        if (n > 0) next[i] = (next[i] as number) + error * (weights[w] as number);
      }
    }
    if (n > 0)
      for (let i = 0; i < inputs; i++) next[i] = (next[i] as number) * (1 - (below[i] as number) ** 2);
    errors = next;
  }
  return loss;
}

function forward(layers: readonly Layer[]): void {
  for (const [n, layer] of layers.entries()) {
    const output = VALUES[n + 1] as Float32Array;
    applyLayer(layer, VALUES[n] as Float32Array, output);
    const isLast = n === layers.length - 1;
    for (let row = 0; row < output.length; row++) {
      output[row] = isLast ? bendOutput(row, output[row] as number) : Math.tanh(output[row] as number);
    }
  }
}

function report(name: string, recordings: readonly Recording[]): void {
  const found: number[][] = [[], [], [], []];
  const truth: number[][] = [[], [], [], []];
  for (const { features, truth: shapes } of recordings) {
    for (let frame = 0; frame < shapes.length / 4; frame++) {
      gatherContext(features, frame, VALUES[0] as Float32Array);
      forward(net);
      for (let part = 0; part < 4; part++) {
        found[part]?.push(VALUES.at(-1)?.[part] as number);
        truth[part]?.push(shapes[frame * 4 + part] as number);
      }
    }
  }
  const parts = ['open', 'spread', 'press', 'tuck'].map((part, n) => {
    return `${part} ${correlation(found[n] ?? [], truth[n] ?? []).toFixed(3)}`;
  });
  print(`${name}: correlation ${parts.join(', ')}`);
}

function shuffle(items: unknown[]): void {
  for (let n = items.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1));
    [items[n], items[other]] = [items[other], items[n]];
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
