/** `npm run soak -- voice [--minutes 60] [--cycles 1000] [--json]`: runs voice conversion for a long time. */
import { parseArgs } from 'node:util';
import { playSoak } from './play-soak.ts';
import { SESSION_MINUTES } from './soak-place.ts';

/** Everything must fit into one session; a cycle takes about a second. */
const CYCLES_PER_MINUTE = 50;
const SPARE_MINUTES = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    cycles: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});
const wanted = { minutes: Number(values.minutes), cycles: Number(values.cycles) };
const isUsable =
  positionals.join(' ') === 'voice' &&
  Object.values(wanted).every((number) => Number.isSafeInteger(number) && number > 0) &&
  wanted.minutes + wanted.cycles / CYCLES_PER_MINUTE <= SESSION_MINUTES - SPARE_MINUTES;
if (isUsable) await run();
else {
  process.stderr.write(
    `Usage: npm run soak -- voice [--minutes 60] [--cycles 1000] [--json], in whole numbers above zero that fit into ${SESSION_MINUTES} minutes\n`,
  );
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const result = await playSoak({ ...wanted, say });
  for (const problem of result.problems) say(`PROBLEM: ${problem}`);
  process.stdout.write(`${JSON.stringify({ ...wanted, seconds: seconds(), ...result })}\n`);
  if (result.problems.length > 0) process.exitCode = 1;
}

function say(text: string): void {
  if (!values.json) process.stdout.write(`${String(seconds()).padStart(6)} s  ${text}\n`);
}

function seconds(): number {
  return Math.round(performance.now() / 1000);
}
