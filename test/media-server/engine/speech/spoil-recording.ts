/**
 * Makes a clean 16 kHz recording sound like a real one: `speed` times as fast and as high in pitch, with random level,
 * colour, room acoustics and noise. Frame `t` of the result is frame `t * speed` of the original.
 */
export function spoil(samples: Float32Array, speed: number, random: () => number): Float32Array {
  const heard = new Float32Array(Math.floor((samples.length - 1) / speed));
  for (let n = 0; n < heard.length; n++) {
    const at = Math.floor(n * speed);
    const share = n * speed - at;
    heard[n] = (1 - share) * (samples[at] ?? 0) + share * (samples[at + 1] ?? 0);
  }
  if (random() < 0.4) addRoom(heard, random);
  colour(heard, 1.6 * (random() - 0.5));
  if (random() < 0.4) muffle(heard, 0.55 + 0.4 * random(), random() < 0.5 ? 1 : 3);
  addNoise(heard, 15 + 40 * random(), random);
  const gain = 10 ** ((-30 * random()) / 20);
  return heard.map((value) => value * gain);
}

/** Adds a few early reflections and a reverberation tail of 0.1 to 0.4 s. */
function addRoom(samples: Float32Array, random: () => number): void {
  const dry = Float32Array.from(samples);
  const decay = 0.1 + 0.3 * random();
  const wet = 0.1 + 0.35 * random();
  for (let tap = 0; tap < 24; tap++) {
    const delay = 0.004 + random() * decay * 0.6;
    const gain = (random() < 0.5 ? -1 : 1) * wet * Math.exp((-4 * delay) / decay) * 0.6;
    const shift = Math.round(delay * 16_000);
    for (let n = shift; n < samples.length; n++)
      samples[n] = (samples[n] ?? 0) + gain * (dry[n - shift] ?? 0);
  }
}

/** Tilts the spectrum: a positive `amount` makes the sound duller, a negative one brighter. */
function colour(samples: Float32Array, amount: number): void {
  let last = 0;
  for (let n = 0; n < samples.length; n++) {
    const value = samples[n] ?? 0;
    samples[n] = value + amount * last;
    last = value;
  }
}

function muffle(samples: Float32Array, share: number, order: number): void {
  for (let pass = 0; pass < order; pass++) {
    let held = 0;
    for (let n = 0; n < samples.length; n++) {
      held += share * ((samples[n] ?? 0) - held);
      samples[n] = held;
    }
  }
}

/** Adds noise of a random colour between white and brown, `belowDb` dB below the speech. */
function addNoise(samples: Float32Array, belowDb: number, random: () => number): void {
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  const memory = 0.95 * random();
  const noise = new Float32Array(samples.length);
  let held = 0;
  for (let n = 0; n < noise.length; n++) {
    held = memory * held + (random() + random() + random() - 1.5);
    noise[n] = held;
  }
  const noisePower = noise.reduce((sum, value) => sum + value * value, 0) / noise.length;
  const gain = Math.sqrt((power * 10 ** (-belowDb / 10)) / noisePower);
  for (let n = 0; n < samples.length; n++) samples[n] = (samples[n] ?? 0) + gain * (noise[n] ?? 0);
}
