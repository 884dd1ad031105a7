import { type WasmImport, type WasmMemory, type WasmModule, webAssembly } from '../web-assembly.ts';

interface ProgramOutput {
  /** The standard output, at most `OUTPUT_BYTES_MAX`. */
  readonly stdout: Uint8Array;
  readonly file: Uint8Array;
}

/** The largest size of the standard output, and of the file, per run. Beyond it, the program gets a disk-full error. */
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;

const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NO_SPACE = 51;
const STDOUT = 1;
const STDERR = 2;
const FOLDER = 3;
const FILE = 4;
const DIRECTORY_TYPE = 3;
const REGULAR_TYPE = 4;
const FOLDER_NAME = '/';

/**
 * Runs a WASI command that can access nothing but its arguments, standard output and one file in memory, which it can
 * open under any name. It has no other files, environment, clock or randomness, so equal arguments give equal output.
 * Arguments must not contain NUL. Throws if the program traps or ends with an error.
 */
export function runWasiProgram(module: WasmModule, args: readonly string[]): ProgramOutput {
  const program = new MemoryWasi(args);
  const instance = new webAssembly.Instance(module, { wasi_snapshot_preview1: program.imports() });
  const { memory, _start: start } = instance.exports;
  if (!(memory instanceof webAssembly.Memory) || typeof start !== 'function')
    throw new Error('Cannot run the program: it is not a WASI command');
  program.memory = memory;
  try {
    start();
  } catch (error) {
    if (!(error instanceof ProgramEnd)) throw error;
    if (error.status !== 0)
      throw new Error(`Cannot run the program: it ended with status ${error.status}`, { cause: error });
  }
  return { stdout: program.stdout.bytes(), file: program.file.bytes() };
}

class ProgramEnd extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`Ended with status ${status}`);
    this.status = status;
  }
}

class MemoryWasi {
  memory: WasmMemory | undefined;
  readonly stdout: MemoryFile = new MemoryFile();
  readonly file: MemoryFile = new MemoryFile();
  readonly #args: readonly Uint8Array[];

  constructor(args: readonly string[]) {
    const encoder = new TextEncoder();
    this.#args = args.map((arg) => encoder.encode(`${arg}\0`));
  }

  imports(): Readonly<Record<string, WasmImport>> {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#put(count, this.#args.length);
        return this.#put(
          size,
          this.#args.reduce((sum, arg) => sum + arg.length, 0),
        );
      },
      args_get: (pointers: number, bytes: number) => this.#putArgs(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, time: number) => {
        this.#view().setBigUint64(time, 0n, true);
        return SUCCESS;
      },
      fd_fdstat_get: (fd: number, stat: number) => this.#putStat(fd, stat),
      fd_fdstat_set_flags: () => SUCCESS,
      fd_prestat_get: (fd: number, prestat: number) => {
        if (fd !== FOLDER) return BAD_DESCRIPTOR;
        this.#put(prestat, 0);
        return this.#put(prestat + 4, FOLDER_NAME.length);
      },
      fd_prestat_dir_name: (_fd: number, path: number) => {
        this.#bytes().set(new TextEncoder().encode(FOLDER_NAME), path);
        return SUCCESS;
      },
      path_open: (...parameters: readonly (number | bigint)[]) => {
        this.file.seek(0);
        return this.#put(Number(parameters[8]), FILE);
      },
      fd_read: (_fd: number, _vectors: number, _count: number, read: number) => this.#put(read, 0),
      fd_write: (fd: number, vectors: number, count: number, written: number) =>
        this.#write(fd, { vectors, count, written }),
      fd_seek: (fd: number, offset: bigint, whence: number, position: number) => {
        if (fd !== FILE) return BAD_DESCRIPTOR;
        const from = [0, this.file.position, this.file.size][whence] ?? 0;
        this.#view().setBigUint64(position, BigInt(this.file.seek(from + Number(offset))), true);
        return SUCCESS;
      },
      fd_close: () => SUCCESS,
      proc_exit: (status: number) => {
        throw new ProgramEnd(status);
      },
    };
  }

  #putArgs(pointers: number, bytes: number): number {
    let at = bytes;
    for (const [n, arg] of this.#args.entries()) {
      this.#put(pointers + 4 * n, at);
      this.#bytes().set(arg, at);
      at += arg.length;
    }
    return SUCCESS;
  }

  #putStat(fd: number, stat: number): number {
    if (fd > FILE) return BAD_DESCRIPTOR;
    const view = this.#view();
    view.setUint8(stat, fd === FOLDER ? DIRECTORY_TYPE : REGULAR_TYPE);
    view.setUint16(stat + 2, 0, true);
    // The program gets all permissions, because there is nothing to protect.
    view.setBigUint64(stat + 8, 0xffff_ffffn, true);
    view.setBigUint64(stat + 16, 0xffff_ffffn, true);
    return SUCCESS;
  }

  #write(fd: number, at: { vectors: number; count: number; written: number }): number {
    const target = fd === STDOUT ? this.stdout : fd === FILE ? this.file : undefined;
    if (!target && fd !== STDERR) return BAD_DESCRIPTOR;
    const view = this.#view();
    let total = 0;
    for (let n = 0; n < at.count; n++) {
      const from = view.getUint32(at.vectors + 8 * n, true);
      const size = view.getUint32(at.vectors + 8 * n + 4, true);
      if (target && !target.write(this.#bytes().subarray(from, from + size))) return NO_SPACE;
      total += size;
    }
    return this.#put(at.written, total);
  }

  #put(address: number, value: number): number {
    this.#view().setUint32(address, value, true);
    return SUCCESS;
  }

  /** Returns a new view for each use, because the memory's buffer is replaced when the memory grows. */
  #view(): DataView {
    return new DataView(this.#buffer());
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#buffer());
  }

  #buffer(): ArrayBuffer {
    if (!this.memory) throw new Error('Cannot run the program: it has no memory yet');
    return this.memory.buffer;
  }
}

class MemoryFile {
  #data = new Uint8Array(64 * 1024);
  size = 0;
  position = 0;

  seek(position: number): number {
    this.position = Math.min(Math.max(0, position), OUTPUT_BYTES_MAX);
    return this.position;
  }

  /** Returns false if there is no space. */
  write(bytes: Uint8Array): boolean {
    const end = this.position + bytes.length;
    if (end > OUTPUT_BYTES_MAX) return false;
    if (end > this.#data.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#data.length));
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data.set(bytes, this.position);
    this.position = end;
    this.size = Math.max(this.size, end);
    return true;
  }

  bytes(): Uint8Array {
    return this.#data.subarray(0, this.size);
  }
}
