import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { childEnvironment } from '../child-environment.ts';
import type { Logger } from '../log.ts';
import { type ChildLimits, limitPrefix } from './child-limits.ts';

/**
 * How strongly a child is isolated from the process that starts it:
 * - `namespaces`: it sees no other process, has no network and no privileges, and dies with its parent.
 * - `privileges`: it cannot gain privileges, has none even if its parent is root, and dies with its parent.
 * - `none`: it only has its own environment and limits.
 */
export type Isolation = 'namespaces' | 'privileges' | 'none';

/**
 * A command that runs a program in confinement: the file to start, and the arguments that precede the program's own
 * arguments.
 */
export interface ConfinedCommand {
  readonly file: string;
  readonly args: readonly string[];
}

interface Way {
  readonly isolation: Isolation;
  readonly prefix: readonly string[];
}

const PROBE_TIMEOUT_MS = 10_000;

const NAMESPACES: readonly string[] = ['--pid', '--net', '--ipc', '--fork', '--kill-child'];
/** Keeps `dac_override`, so that root without other privileges can still read files of any owner. */
const DROP_PRIVILEGES: readonly string[] = ['--bounding-set=-all,+dac_override', '--inh-caps=-all'];

/**
 * Builds commands that let programs use only the resources that they are given, as far as this system allows. On first
 * use it tests which isolation the system allows, and logs one warning if that is weaker than `namespaces`. The caller
 * sets the program's environment: see `childEnvironment`.
 */
export class Confinement {
  readonly #log: Logger;
  readonly #ways: readonly Way[];
  #way: Promise<Way> | undefined;

  /** `strongest` is the strongest isolation to try. Default: `namespaces`. */
  constructor({ log, strongest = 'namespaces' }: { readonly log: Logger; readonly strongest?: Isolation }) {
    this.#log = log;
    const ways = waysOf(process.platform, process.geteuid?.() === 0);
    this.#ways = ways.slice(ways.findIndex(({ isolation }) => isolation === strongest));
  }

  /** The isolation that is in force on this system. */
  async isolation(): Promise<Isolation> {
    return (await this.#find()).isolation;
  }

  /** Returns the command that runs `program` within `limits`. */
  async command(program: string, limits: ChildLimits): Promise<ConfinedCommand> {
    const { prefix } = await this.#find();
    const [file, ...args] = [...prefix, ...limitPrefix(limits), program];
    return { file, args };
  }

  #find(): Promise<Way> {
    this.#way ??= this.#probe();
    return this.#way;
  }

  async #probe(): Promise<Way> {
    const reasons: string[] = [];
    for (const way of this.#ways) {
      const problem = await problemOf(way.prefix);
      if (problem !== undefined) reasons.push(problem);
      else return this.#report(way, reasons);
    }
    return this.#report(NOTHING, reasons);
  }

  #report(way: Way, reasons: readonly string[]): Way {
    if (way.isolation !== 'namespaces') {
      const fields = { isolation: way.isolation, reasons };
      this.#log.warn(
        fields,
        'Processes that open files of members are not fully isolated; see docs/confinement.md',
      );
    }
    return way;
  }
}

const NOTHING: Way = { isolation: 'none', prefix: [] };

/** Returns the ways to isolate a program, strongest first. */
function waysOf(platform: NodeJS.Platform, isRoot: boolean): readonly Way[] {
  if (platform !== 'linux') return [NOTHING];
  // Root needs no user namespace, and inside one it could not read the files of other users.
  const users = isRoot ? [] : ['--user', '--map-root-user'];
  const unshare = ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...users, ...NAMESPACES];
  const bare = ['setpriv', '--no-new-privs', ...DROP_PRIVILEGES];
  const privileges = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', ...(isRoot ? DROP_PRIVILEGES : [])];
  return [
    { isolation: 'namespaces', prefix: [...unshare, '--mount-proc', ...bare] },
    // Some containers do not allow mounting /proc. There, the child sees this process's entry in /proc, but cannot read
    // its contents.
    { isolation: 'namespaces', prefix: [...unshare, ...bare] },
    { isolation: 'privileges', prefix: privileges },
    NOTHING,
  ];
}

/** Returns the reason why a program cannot run this way, or undefined if it can. */
async function problemOf(prefix: readonly string[]): Promise<string | undefined> {
  const [file, ...args] = [...prefix, process.execPath, '--version'];
  const options = { env: childEnvironment(), timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  try {
    await promisify(execFile)(file, args, options);
    return undefined;
  } catch (error) {
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return told.split('\n')[0] || (error instanceof Error ? error.message : String(error));
  }
}
