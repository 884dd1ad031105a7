/** A compiled WebAssembly module. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

/** The memory of a running module. Its buffer is replaced when the memory grows. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** Grows the memory by pages of 64 KB. Throws `RangeError` above its maximum. */
  grow(pages: number): number;
}

/**
 * The members of the runtime's WebAssembly API that the engines use. TypeScript declares the API only in its browser
 * library.
 */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  /** Compiles on the calling thread, so it is only suitable for modules of a few kilobytes. */
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports?: Readonly<Record<string, Readonly<Record<string, WasmImport>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
}

/** A function that a module may call. Its parameters are numbers, or bigints for 64-bit values. */
export type WasmImport = (...parameters: never[]) => number;

export const webAssembly: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;
