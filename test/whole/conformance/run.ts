/** `npm run conformance -- --base-url … --key …`: checks the documented behaviour against any service. */
import { join } from 'node:path';
import { type Vitest, startVitest } from 'vitest/node';
import { type ConformanceOptions, USAGE, VARIABLE, readOptions } from './options.ts';

const TEST_MS_MORE = 180_000;

let options: ConformanceOptions | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
  process.exitCode = 2;
}
if (options) await run(options);

async function run(checked: ConformanceOptions): Promise<void> {
  const { baseUrl, readOnly, requestsPerMinute } = checked;
  const what = readOnly
    ? 'only tests that change nothing'
    : 'everything, which costs as much as a few small jobs';
  process.stdout.write(`Checking ${baseUrl}: ${what}, at most ${requestsPerMinute} requests a minute\n`);
  const timeout = checked.jobSeconds * 1000 + TEST_MS_MORE;
  const vitest = await startVitest('test', [], {
    root: join(import.meta.dirname, '../../..'),
    config: false,
    include: ['test/whole/conformance/any-service.suite.ts'],
    env: { [VARIABLE]: JSON.stringify(checked) },
    watch: false,
    reporters: ['verbose'],
    testTimeout: timeout,
    hookTimeout: timeout,
  });
  const verdict = judge(vitest);
  await vitest.close();
  process.stdout.write(`${verdict.text}\n`);
  if (!verdict.conforms) process.exitCode = 1;
}

/** Judges the run. Skipped tests do not count against the service, but at least one test must pass. */
function judge({ state }: Vitest): { readonly conforms: boolean; readonly text: string } {
  const modules = state.getTestModules();
  const results = modules.flatMap(({ children }) =>
    [...children.allTests()].map((each) => each.result().state),
  );
  const count = (wanted: string): number => results.filter((result) => result === wanted).length;
  const [failed, passed, skipped] = [count('failed'), count('passed'), count('skipped')];
  const isWhole = modules.every((each) => each.ok()) && state.getUnhandledErrors().length === 0;
  const conforms = isWhole && failed === 0 && passed > 0;
  const counts = `${failed} failed, ${passed} passed, ${skipped} skipped`;
  return { conforms, text: `The service ${conforms ? 'conforms' : 'does not conform'}: ${counts}` };
}
