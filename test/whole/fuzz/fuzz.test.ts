import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replay, runCampaign } from './campaign.ts';
import { TARGET_NAMES } from './targets/all.ts';

/** The number of inputs for each target; `npm run fuzz` tries 20,000. */
const INPUTS = 40;
const CORPUS = join(import.meta.dirname, 'corpus');
const SEED = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);

test(`no parser breaks on hostile inputs (PROPERTY_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const { tallies, found } = await runCampaign({
    targets: TARGET_NAMES,
    inputs: INPUTS,
    seed: SEED,
    workers: 2,
  });
  expect(found.map(({ target, what }) => `${target}: ${what}`)).toEqual([]);
  const tried = [...tallies].filter(([, tally]) => tally.tried === INPUTS).map(([name]) => name);
  expect(tried).toEqual(TARGET_NAMES);
  // A grammar whose inputs are all rejected tests nothing.
  const accepted = [...tallies].filter(([, tally]) => tally.accepted > 0).map(([name]) => name);
  expect(accepted).toEqual(TARGET_NAMES);
});

/** The corpus contains inputs that once broke a parser: `<target>.<description>.bin`, or `.bin.gz` for large ones. */
test('earlier findings no longer cause faults', async () => {
  const files = readdirSync(CORPUS).map((name) => ({
    target: name.split('.')[0] ?? '',
    path: join(CORPUS, name),
  }));
  const found = await replay(files);
  expect(found.map(({ target, what }) => `${target}: ${what}`)).toEqual([]);
});
