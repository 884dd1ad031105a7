import type { Random } from './random.ts';

/** A parser under attack. An input is bytes, whatever the parser reads. */
export interface FuzzTarget {
  readonly name: string;
  /** Small inputs that are right; made once for each process. */
  readonly seeds?: () => Promise<readonly Buffer[]>;
  /** An input by the grammar of the format: right in most places, hostile in some. */
  readonly generate: (random: Random, seeds: readonly Buffer[]) => Buffer;
  /** Byte mutations make no sense where the parser checks a signature first. */
  readonly isMutated?: boolean;
  /**
   * Gives the input to the parser. Throws `Finding` where an oracle does not hold; every other error that leaves it
   * is one that the parser does not declare, and a finding as well.
   */
  readonly run: (input: Buffer, place: Place) => Promise<Outcome> | Outcome;
}

export type Outcome = 'accepted' | 'refused';

/** What a target may use while it runs. */
export interface Place {
  /** A path in memory that is the target's own during a run. */
  readonly path: string;
  /** Called with the length that is told of the file that is then at the path. */
  readonly tell: (seconds: number) => void;
}

/** Something that must not be; the message says what, without anything of the input that differs each time. */
export class Finding extends Error {}

/** Throws a `Finding` unless it holds. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Finding(what);
}

/** Must be in no file that was admitted: it stands only where metadata is, in files that are whole. */
export const CANARY = 'CANARY N48.8584 E2.2945';

/** As long, and of no interest: what the canary becomes where bytes were changed and it may be anywhere. */
const HARMLESS = 'nobody looks for this!!';

/** The input without canaries, in every encoding in which they are planted. */
export function withoutCanaries(input: Buffer): Buffer {
  const bytes = Buffer.from(input);
  for (const encoding of ['latin1', 'utf16le'] as const) {
    const canary = Buffer.from(CANARY, encoding);
    for (let at = bytes.indexOf(canary); at >= 0; at = bytes.indexOf(canary, at))
      bytes.write(HARMLESS, at, encoding);
  }
  return bytes;
}

/** Whether a canary is left. */
export function hasCanary(bytes: Buffer): boolean {
  return bytes.includes(CANARY, 0, 'latin1') || bytes.includes(Buffer.from(CANARY, 'utf16le'));
}
