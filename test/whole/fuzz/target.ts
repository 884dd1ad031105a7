import type { Random } from './random.ts';

/** A parser under attack. Every input is given as bytes, even if the parser reads text or objects. */
export interface FuzzTarget {
  readonly name: string;
  /** Small valid inputs, created once for each process. */
  readonly seeds?: () => Promise<readonly Buffer[]>;
  /** Creates an input from the format's grammar: valid in most places, hostile in some. */
  readonly generate: (random: Random, seeds: readonly Buffer[]) => Buffer;
  /** Whether bytes may be mutated, which is useless if the parser checks a signature first. */
  readonly isMutated?: boolean;
  /**
   * Passes the input to the parser. Throws `Finding` if a check fails; every other error that it throws is
   * one that the parser does not declare, and is also a finding.
   */
  readonly run: (input: Buffer, place: Place) => Promise<Outcome> | Outcome;
}

export type Outcome = 'accepted' | 'refused';

/** The resources that a target uses while it runs. */
export interface Place {
  /** A path in an in-memory file system, for the target's use during a run. */
  readonly path: string;
  /** Reports the length, in seconds, that the target determined for the file at the path. */
  readonly tell: (seconds: number) => void;
}

/** An unwanted behaviour. The message describes it without data that differs between inputs. */
export class Finding extends Error {}

/** Throws a `Finding` if `holds` is false. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Finding(what);
}

/** Text that must not be in any admitted file. In unmodified inputs it occurs only in metadata. */
export const CANARY = 'CANARY N48.8584 E2.2945';

/**
 * Harmless text of the same length, which replaces the canary in mutated inputs, where the canary could be anywhere.
 */
const HARMLESS = 'nobody looks for this!!';

/** Returns the input with harmless text in place of every canary, in each encoding in which canaries are written. */
export function withoutCanaries(input: Buffer): Buffer {
  const bytes = Buffer.from(input);
  for (const encoding of ['latin1', 'utf16le'] as const) {
    const canary = Buffer.from(CANARY, encoding);
    for (let at = bytes.indexOf(canary); at >= 0; at = bytes.indexOf(canary, at))
      bytes.write(HARMLESS, at, encoding);
  }
  return bytes;
}

/** Returns whether the bytes still contain a canary. */
export function hasCanary(bytes: Buffer): boolean {
  return bytes.includes(CANARY, 0, 'latin1') || bytes.includes(Buffer.from(CANARY, 'utf16le'));
}
