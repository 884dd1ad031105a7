import { costProblem, measured } from './probe.ts';
import { Finding, type FuzzTarget, type Outcome, type Place } from './target.ts';

/** What came of one input. */
export type Verdict = { readonly outcome: Outcome } | { readonly problem: string };

/** Errors that left everything that was awaited: they would end the bot. */
const strays: unknown[] = [];

/** From now on errors that nobody catches count for the input that is being tried. */
export function catchStrays(): void {
  process.on('uncaughtException', (error) => strays.push(error));
}

/** Gives an input to a target, and looks at what it did and what it took; `onRun` is called whenever it does so. */
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
    if (strays.length > 0) return { problem: `nobody catches an error: ${describe(strays[0])}` };
    const problem = await costProblem(cost, run);
    return problem === undefined ? { outcome: value } : { problem };
  } catch (error) {
    if (error instanceof Finding) return { problem: error.message };
    return { problem: `it throws what it does not declare: ${describe(error)}` };
  }
}

/** The error, and where in the project it comes from; numbers are left out, so that the same is found to be the same. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frame =
    /\((?:file:\/\/)?[^()]*?((?:src|commands|db)\/[^()]+?)\)/.exec(error.stack ?? '')?.[1] ?? 'unknown place';
  const message = error.message.slice(0, 200).replace(/\d+/g, 'N').replace(/\s+/g, ' ');
  return `${error.name}: ${message} (${frame})`;
}
