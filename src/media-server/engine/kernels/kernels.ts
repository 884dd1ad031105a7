import { readFileSync } from 'node:fs';
import { type WasmMemory, type WasmModule, webAssembly } from '../web-assembly.ts';

type Kernel<Count extends number> = (...parameters: Numbers<Count>) => void;
type Numbers<Count extends number, All extends number[] = []> = All['length'] extends Count
  ? All
  : Numbers<Count, [...All, number]>;

/**
 * The pixel loops in WebAssembly with SIMD. `assembly/` documents their parameters. Positions are addresses in the
 * kernels' memory.
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

/** Access to the kernels, which is valid until `openKernels` is next called in this thread. */
export interface KernelUse {
  readonly kernels: Kernels;
  /** The whole memory of the kernels. */
  readonly bytes: Uint8Array;
  /** The addresses of the requested blocks, which are multiples of 16. */
  readonly at: readonly number[];
}

/** The largest total size of the blocks in one use. Two pictures of 50 megapixels fit. */
const MEMORY_BYTES_MAX = 512 * 2 ** 20;
/** A memory larger than this is released when it is no longer needed. */
const MEMORY_BYTES_KEPT = 32 * 2 ** 20;
const PAGE_BYTES = 65_536;
/** The kernels work in steps of up to 32 bytes and may access bytes after the end of a block. */
const PADDING_BYTES = 64;

/** Returns the kernels with memory blocks of these sizes in bytes. The content of the blocks is undefined. */
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

/** Copies `rows` rows of `rowBytes` bytes from `from` to `to`; their strides may differ. */
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

/** This thread's only instance of the kernels. The content of its memory is undefined between two uses. */
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
    // The compiled kernels are part of this project, so their exports are trusted; a test recompiles and compares them.
    return { kernels: exports as unknown as Kernels, memory: exports['memory'] as WasmMemory };
  }
}

const runner = new KernelRunner(
  new webAssembly.Module(readFileSync(new URL('kernels.wasm', import.meta.url))),
);
