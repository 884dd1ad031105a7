import { readFileSync } from 'node:fs';
import { type WasmMemory, type WasmModule, webAssembly } from '../web-assembly.ts';

type Kernel<Count extends number> = (...parameters: Numbers<Count>) => void;
type Numbers<Count extends number, All extends number[] = []> = All['length'] extends Count
  ? All
  : Numbers<Count, [...All, number]>;

/**
 * The loops over pixels, in WebAssembly with SIMD. `assembly/` tells what each takes; places are addresses in its
 * memory.
 */
export interface Kernels {
  readonly addRowsToCells: Kernel<5>;
  readonly blendRows: Kernel<13>;
  readonly deepenField: Kernel<9>;
  readonly rgbaRowsToYuv: Kernel<8>;
  readonly sampleCrop: Kernel<20>;
  readonly surfaceSums: Kernel<5>;
  readonly warpTriangles: Kernel<15>;
  readonly yuvRowToRgba: Kernel<6>;
}

/** One use of the kernels: valid until the next `openKernels` of this thread. */
export interface KernelUse {
  readonly kernels: Kernels;
  /** The whole memory. */
  readonly bytes: Uint8Array;
  /** Addresses of the parts asked for, multiples of 16. */
  readonly at: readonly number[];
}

/** What all parts of one use may take. Two pictures of 50 megapixels fit. */
const MEMORY_BYTES_MAX = 512 * 2 ** 20;
/** A memory that grew further is let go when it is not needed any more. */
const MEMORY_BYTES_KEPT = 32 * 2 ** 20;
const PAGE_BYTES = 65_536;
/** The kernels work in steps of up to 32 bytes and may touch what lies behind a part. */
const PADDING_BYTES = 64;

/** The kernels with room for parts of these sizes in bytes. Their content is whatever was there. */
export function openKernels(...sizesBytes: readonly number[]): KernelUse {
  const at: number[] = [];
  let end = PADDING_BYTES;
  for (const size of sizesBytes) {
    at.push(end);
    end = (end + size + PADDING_BYTES + 15) & -16;
  }
  if (!(end <= MEMORY_BYTES_MAX)) throw new RangeError(`Cannot work on ${end} bytes of pixels at a time`);
  return runner.use(end, at);
}

/** Copies `rows` rows of `rowBytes` bytes, whose starts are that far apart, from `from` to `to`. */
export function copyRows(
  from: { readonly bytes: Uint8Array; readonly at: number; readonly stride: number },
  to: { readonly bytes: Uint8Array; readonly at: number; readonly stride: number },
  rowBytes: number,
  rows: number,
): void {
  if (from.stride === rowBytes && to.stride === rowBytes) {
    to.bytes.set(from.bytes.subarray(from.at, from.at + rowBytes * rows), to.at);
    return;
  }
  for (
    let row = 0, read = from.at, write = to.at;
    row < rows;
    row++, read += from.stride, write += to.stride
  ) {
    to.bytes.set(from.bytes.subarray(read, read + rowBytes), write);
  }
}

/** The one instance of this thread: what it holds between two uses means nothing. */
class KernelRunner {
  readonly #module: WasmModule;
  #kernels: Kernels;
  #memory: WasmMemory;
  #bytes: Uint8Array;

  constructor(module: WasmModule) {
    this.#module = module;
    const { kernels, memory } = this.#start();
    this.#kernels = kernels;
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
  }

  use(sizeBytes: number, at: readonly number[]): KernelUse {
    if (this.#bytes.length > MEMORY_BYTES_KEPT && sizeBytes <= MEMORY_BYTES_KEPT) {
      ({ kernels: this.#kernels, memory: this.#memory } = this.#start());
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    if (this.#bytes.length < sizeBytes) {
      this.#memory.grow(Math.ceil((sizeBytes - this.#bytes.length) / PAGE_BYTES));
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    return { kernels: this.#kernels, bytes: this.#bytes, at };
  }

  #start(): { kernels: Kernels; memory: WasmMemory } {
    const { exports } = new webAssembly.Instance(this.#module);
    // The file is ours; a test compiles it anew and compares.
    return { kernels: exports as unknown as Kernels, memory: exports['memory'] as WasmMemory };
  }
}

const runner = new KernelRunner(
  new webAssembly.Module(readFileSync(new URL('kernels.wasm', import.meta.url))),
);
