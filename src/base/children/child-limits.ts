/** The resources that a child process may use. */
export interface ChildLimits {
  /**
   * Private memory in MiB: heaps, buffers and stacks. Mapped files do not count, nor does the address space that
   * Node.js reserves when it starts.
   */
  readonly memoryMib: number;
  /**
   * The processor time of all its threads together, in seconds. Default: no limit; the caller then needs another way to
   * end the process.
   */
  readonly cpuSeconds?: number;
  /** The largest file that the child may write, in MiB. Default: no limit. */
  readonly fileMib?: number;
  /** The child's niceness, from 0 to 19: how readily it yields the processor to other processes. Default 0. */
  readonly niceness?: number;
}

/** A shell script that sets the limits, skipping those that the system does not support. */
const SET_LIMITS =
  'for limit in "-c 0" "-d $1" "-t $2" "-f $3"; do ulimit $limit 2>/dev/null || :; done; shift 3; exec nice -n "$@"';
/** Added to the memory limit, because Node.js 24 reserves 656 MiB of address space but uses only 100 MiB of it. */
const RESERVED_MIB = 1_024;
const KIB_PER_MIB = 1_024;
const BLOCKS_PER_MIB = 2_048;

/**
 * Returns the start of a command line that runs a program within `limits`. It uses the shell's `ulimit`, which macOS
 * and every Linux system have; macOS ignores the memory limit. On Windows, which has no such limits, the result is
 * empty.
 */
export function limitPrefix(limits: ChildLimits): readonly string[] {
  if (process.platform === 'win32') return [];
  const { memoryMib, cpuSeconds, fileMib, niceness = 0 } = limits;
  return [
    '/bin/sh',
    '-c',
    SET_LIMITS,
    'limits',
    String((memoryMib + RESERVED_MIB) * KIB_PER_MIB),
    cpuSeconds === undefined ? 'unlimited' : String(cpuSeconds),
    fileMib === undefined ? 'unlimited' : String(fileMib * BLOCKS_PER_MIB),
    String(niceness),
  ];
}
