/** What a child process may use. */
export interface ChildLimits {
  /**
   * Memory of its own in MiB: heaps, buffers and stacks, but not files that it maps, nor what Node.js reserves for itself
   * at its start.
   */
  readonly memoryMib: number;
  /** Processor time of all its threads in seconds. Default: no limit of its own, where another one ends it. */
  readonly cpuSeconds?: number;
  /** The largest file that it may write, in MiB. Default: no limit. */
  readonly fileMib?: number;
  /** How far it stands back for others who want a processor, from 0 to 19. Default 0. */
  readonly niceness?: number;
}

/** A limit that the system does not know is left out; the others hold all the same. */
const SET_LIMITS =
  'for limit in "-c 0" "-d $1" "-t $2" "-f $3"; do ulimit $limit 2>/dev/null || :; done; shift 3; exec nice -n "$@"';
/** Node.js 24 reserves 656 MiB, of which it touches 100. */
const RESERVED_MIB = 1_024;
const KIB_PER_MIB = 1_024;
const BLOCKS_PER_MIB = 2_048;

/**
 * What a command line must begin with so that its program runs within `limits`. The shell's `ulimit` sets them, which
 * macOS and every Linux have; macOS ignores the limit of memory. Windows has none of this: there it is empty.
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
