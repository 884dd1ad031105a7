import { costProblem, measured } from './probe.ts';
import { Finding, type FuzzTarget, type Outcome, type Place } from './target.ts';

/** The result of one input. */
export type Verdict = { readonly outcome: Outcome } | { readonly problem: string };

/** Errors that nothing caught; they would end the bot. */
const strays: unknown[] = [];

/** From now on, attributes uncaught errors to the input that is being tried. */
export function catchStrays(): void {
  process.on('uncaughtException', (error) => strays.push(error));
}

/** Passes an input to a target, and checks the behaviour and the cost; `onRun` is called before each run. */
export async function tryInput(
  target: FuzzTarget,
  input: Buffer,
  place: Place,
  onRun: () => void,
): Promise<Verdict> {
  const run = async (): Promise<Outcome> => {
    onRun();
    return target.run(Buffer.from(input), place);
  };
  strays.length = 0;
  try {
    const { value, cost } = await measured(run);
    if (strays.length > 0) return { problem: `an error is not caught: ${describe(strays[0])}` };
    const problem = await costProblem(cost, run);
    return problem === undefined ? { outcome: value } : { problem };
  } catch (error) {
    if (error instanceof Finding) return { problem: error.message };
    return { problem: `it throws an undeclared error: ${describe(error)}` };
  }
}

/**
 * Returns the error's name, message and location in the project. The message loses its numbers, so that equal findings
 * have equal texts.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frame =
    /\((?:file:\/\/)?[^()]*?((?:src|commands|db)\/[^()]+?)\)/.exec(error.stack ?? '')?.[1] ?? 'unknown place';
  const message = error.message.slice(0, 200).replace(/\d+/g, 'N').replace(/\s+/g, ' ');
  return `${error.name}: ${message} (${frame})`;
}
