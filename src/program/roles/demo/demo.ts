import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { createLogger } from '../../../base/log.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import type { StepEvent } from '../../../bot/jobs/run/worker.ts';
import type { Role, RoleContext } from '../role.ts';
import { Checks } from './checks.ts';
import { DEMO_BUDGET, playScenes } from './play-scenes.ts';
import { setStage } from './stage.ts';
import { Transcript } from './transcript.ts';

const OUT = join('out', 'demo');

/** The step that follows each stage of a job, in words for the transcript. */
const DONE: Readonly<Record<string, string>> = {
  accepted: 'fetched the files from Discord and checked them',
  fetched: 'uploaded them to the media service',
  submitting: 'submitted the job',
  submitted: 'received the webhook that the job has ended',
  finished: 'settled the price in the ledger',
  charged: 'collected the result',
};

/**
 * `demo`: runs every job command from the slash command to the posted result, then a failure, a retry, a link,
 * refusals, a budget and voices, and checks the results. Throws `ServiceError` if a check fails.
 */
export const demo: Role = async (context) => {
  const isForMachines = context.args.includes('--json');
  const transcript = new Transcript(systemClock, isForMachines ? undefined : context.print);
  const checks = new Checks();
  const dataDir = join(OUT, 'data');
  await rm(OUT, { recursive: true, force: true });
  await makeFolder(OUT);
  const onStep = ({ stage, isDone = false }: StepEvent): void => {
    const done = isDone ? DONE[stage] : undefined;
    if (done !== undefined) transcript.add('Bot', done);
  };
  const log = createLogger(context.settings.log.level, join(OUT, 'demo.log'));
  const stage = await setStage({ dataDir, budget: DEMO_BUDGET, log, onStep });
  try {
    await playScenes({ stage, transcript, checks, outDir: OUT });
  } finally {
    await stage[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  }
  await report(context, transcript, checks, isForMachines);
  if (!checks.passed) throw new ServiceError('demo_failed', 'The demo failed: see the checks above');
  return null;
};

async function report(
  { print }: RoleContext,
  transcript: Transcript,
  checks: Checks,
  isForMachines: boolean,
): Promise<void> {
  const results = { passed: checks.passed, checks: checks.all, transcript: transcript.lines };
  const json = `${JSON.stringify(results, null, 2)}\n`;
  await writeFile(join(OUT, 'demo.json'), json);
  if (isForMachines) return print(json);
  print(`\nChecks\n${checks.toText()}\nThe results and the log are in ${OUT}/\n`);
}
