/** `npm run conformance -- --base-url … --key …`: the documented behaviour, checked against any service. */
import { startVitest } from 'vitest/node';
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
  const what = readOnly ? 'only what changes nothing' : 'everything, which costs what a few small jobs cost';
  process.stdout.write(`Checking ${baseUrl}: ${what}, at most ${requestsPerMinute} requests a minute\n`);
  const timeout = checked.jobSeconds * 1000 + TEST_MS_MORE;
  const vitest = await startVitest('test', [], {
    root: new URL('../..', import.meta.url).pathname,
    config: false,
    include: ['test/conformance/any-service.suite.ts'],
    env: { [VARIABLE]: JSON.stringify(checked) },
    watch: false,
    reporters: ['verbose'],
    testTimeout: timeout,
    hookTimeout: timeout,
  });
  const failed = vitest.state.getCountOfFailedTests();
  await vitest.close();
  process.stdout.write(
    failed === 0 ? 'The service conforms\n' : `The service does not conform: ${failed} failed\n`,
  );
  if (failed > 0) process.exitCode = 1;
}
