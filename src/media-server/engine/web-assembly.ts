/** A compiled WebAssembly module. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

/** The memory of a running module; its buffer is another one after it grew. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** By pages of 64 KB. Throws `RangeError` above the memory's maximum. */
  grow(pages: number): number;
}

/** The part of the runtime's WebAssembly that is used here; TypeScript knows it only together with a browser. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  /** Compiles on the calling thread: for modules of a few kilobytes. */
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports?: Readonly<Record<string, Readonly<Record<string, WasmImport>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
}

/** What a module may call; the parameters are numbers, or bigints where the module says 64 bit. */
export type WasmImport = (...parameters: never[]) => number;

export const webAssembly: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;
